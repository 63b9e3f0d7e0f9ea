/** Values as TypeScript source. */
/** The name of a property in a type, in quotes where it needs them. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

/** A JSON value as an expression. `__proto__` would set a prototype, so it is computed. */
export function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map((item: unknown) => literal(item)).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return entries.length === 0
    ? "{}"
    : `{ ${entries.map(([name, item]) => `${safeName(name)}: ${literal(item)}`).join(", ")} }`;
}

/** The name of a property of a value. */
export function safeName(name: string): string {
  return name === "__proto__" ? `["__proto__"]` : propertyName(name);
}
