/** A table cell with the first items of a list and the number of the others. */

const shown = 3;

/** Shows three items; an empty list is `<unset>`. */
export function listCell(items: readonly string[]): string {
  const text = items.slice(0, shown).join(",");
  if (items.length > shown) return `${text} + ${items.length - shown} more...`;
  return text === "" ? "<unset>" : text;
}
