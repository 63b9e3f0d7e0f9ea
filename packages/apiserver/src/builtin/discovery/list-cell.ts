/** A list in a cell: its first items, and how many more there are. */

const shown = 3;

/** The first three; nothing is unset. */
export function listCell(items: readonly string[]): string {
  const text = items.slice(0, shown).join(",");
  if (items.length > shown) return `${text} + ${items.length - shown} more...`;
  return text === "" ? "<unset>" : text;
}
