/** JSON of any value: circular references, unreadable fields and values without JSON are replaced by a marker, and nothing is thrown. */

/** The depth to which a value is shown that JSON.stringify rejects: enough to recognize it, not enough to print the whole program. */
const DEEPEST = 5;
/** The number of fields or items of such a value that are shown. */
const MOST = 50;

/** The JSON of a value. Errors show their name, code, message, stack and cause, which JSON.stringify would omit. */
export function plainJson(value: unknown): string {
  try {
    return JSON.stringify(value, sayError) ?? "null";
  } catch {
    return JSON.stringify(plain(value, []));
  }
}

function sayError(_name: string, value: unknown): unknown {
  if (!(value instanceof Error)) return typeof value === "bigint" ? String(value) : value;
  // Each access to an error creates a new object, so JSON.stringify would follow a circle of causes until the stack overflows.
  if (isCausedByItself(value)) throw new TypeError("a circle of causes");
  return fieldsOf(value);
}

function isCausedByItself(error: Error): boolean {
  const seen = new Set<unknown>();
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    if (seen.has(at)) return true;
    seen.add(at);
  }
  return false;
}

function fieldsOf(error: Error): { readonly [name: string]: unknown } {
  const { name, message, stack, cause } = error;
  const code = "code" in error ? { code: error.code } : {};
  return { name, ...code, message, stack, ...(cause === undefined ? {} : { cause }) };
}

type Plain = string | number | boolean | null | Plain[] | { [name: string]: Plain };

/** A copy without what JSON.stringify rejects; `above` are its ancestors. */
function plain(value: unknown, above: readonly unknown[]): Plain {
  try {
    if (value === null || typeof value === "boolean" || typeof value === "string") return value;
    if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
    if (typeof value === "bigint" || typeof value === "symbol") return value.toString();
    if (typeof value !== "object") return `(${typeof value})`;
    if (above.includes(value)) return "(itself)";
    if (above.length >= DEEPEST) return "(more)";
    return plainParts(value, [...above, value]);
  } catch {
    return "(cannot be read)";
  }
}

function plainParts(value: object, above: readonly unknown[]): Plain {
  if (Array.isArray(value)) return value.slice(0, MOST).map((item) => plain(item, above));
  if (value instanceof Date) return value.toISOString();
  const source: object = value instanceof Error ? fieldsOf(value) : value;
  const parts: { [name: string]: Plain } = {};
  for (const name of Object.keys(source).slice(0, MOST)) parts[name] = plain(read(source, name), above);
  return parts;
}

function read(source: object, name: string): unknown {
  try {
    return (source as { readonly [name: string]: unknown })[name];
  } catch {
    return "(cannot be read)";
  }
}
