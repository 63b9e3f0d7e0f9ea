/** Several errors in one text, in the format of Go's error aggregates. */

/** Each error once, in brackets if there is more than one. */
export function aggregateText(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
