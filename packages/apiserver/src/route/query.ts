/** Parses query strings as Go does: malformed pairs are dropped, and values may be bytes that are not UTF-8. */
import { fromGoBytes } from "@capstan/model";

const empty = new URLSearchParams();

/** Splits path and query of a request target. */
export function splitUrl(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf("?");
  if (mark < 0) return { path: url, query: empty };
  return { path: url.slice(0, mark), query: parseQuery(url.slice(mark + 1)) };
}

/** Parses a query. */
export function parseQuery(text: string): URLSearchParams {
  if (text === "") return empty;
  // URLSearchParams drops a question mark at the start.
  if (text.startsWith("?")) return parseQuery(`&${text}`);
  if (!text.includes("%") && !text.includes(";")) return new URLSearchParams(text);
  const sound = text.split("&").filter((pair) => !pair.includes(";") && !/%(?![0-9a-fA-F]{2})/.test(pair));
  return sound.some((pair) => /%[89a-fA-F]/.test(pair)) ? new BytesQuery(sound) : new URLSearchParams(sound.join("&"));
}

/**
 * A query with values that need not be UTF-8, in the form of `fromGoBytes`: URLSearchParams replaces such bytes. It is read by name, and
 * has nothing to iterate over.
 */
class BytesQuery extends URLSearchParams {
  readonly #values = new Map<string, string[]>();

  constructor(pairs: readonly string[]) {
    super();
    for (const pair of pairs) {
      if (pair === "") continue;
      const equals = pair.indexOf("=");
      const name = decode(equals < 0 ? pair : pair.slice(0, equals));
      const values = this.#values.get(name);
      const value = equals < 0 ? "" : decode(pair.slice(equals + 1));
      if (values === undefined) this.#values.set(name, [value]);
      else values.push(value);
    }
  }

  override get(name: string): string | null {
    return this.#values.get(name)?.[0] ?? null;
  }

  override getAll(name: string): string[] {
    return [...(this.#values.get(name) ?? [])];
  }

  override has(name: string): boolean {
    return this.#values.has(name);
  }
}

/** A query may have a hundred thousand pairs, so this allocates little. */
function decode(text: string): string {
  if (!/[%+]/.test(text)) return text;
  const bytes = Buffer.from(text);
  let length = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === 0x25) {
      bytes[length++] = (digit(bytes[at + 1] ?? 0) << 4) | digit(bytes[at + 2] ?? 0);
      at += 2;
    } else bytes[length++] = byte === 0x2b ? 0x20 : byte;
  }
  return fromGoBytes(bytes.subarray(0, length));
}

/** The value of a hexadecimal digit. */
function digit(byte: number): number {
  return byte <= 0x39 ? byte - 0x30 : (byte & 0x0f) + 9;
}
