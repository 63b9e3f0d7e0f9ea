/** Property names as field names of expressions: `my-field` is `my__dash__field`, `namespace` is `__namespace__`. */

const RESERVED: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/** Whether a word is reserved and cannot be a name. */
export function isReserved(word: string): boolean {
  return RESERVED.has(word);
}

const ESCAPES: Record<string, string> = { __: "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__" };
const UNESCAPES: Record<string, string> = { underscores: "__", dot: ".", dash: "-", slash: "/" };

/** The field name of a property, or undefined when expressions cannot reach it. */
export function escapeField(property: string): string | undefined {
  if (property === "" || /^[0-9]/.test(property)) return undefined;
  if (RESERVED.has(property)) return `__${property}__`;
  if (/[^a-zA-Z0-9_.\-/]/.test(property)) return undefined;
  return property.replaceAll(/__|[-./]/g, (found) => ESCAPES[found] ?? found);
}

/** The property of a field name, or undefined when it is not an escaped name. */
export function unescapeField(field: string): string | undefined {
  let valid = true;
  const property = field.replaceAll(/__([^_]+)__/g, (found, name: string) => {
    if (Object.hasOwn(UNESCAPES, name)) return UNESCAPES[name] ?? "";
    if (RESERVED.has(name) && found.length === field.length) return name;
    valid = false;
    return "";
  });
  return valid ? property : undefined;
}
