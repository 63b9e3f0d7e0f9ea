/** Several problems in one text, as Go prints an aggregate of errors. */

/** Each problem once, in brackets if there is more than one. */
export function aggregateText(problems: readonly string[]): string {
  const distinct = [...new Set(problems)];
  return distinct.length === 1 ? (distinct[0] ?? "") : `[${distinct.join(", ")}]`;
}
