/** Secrets as texts: read from stored ones, written as data in base64. */

/**
 * The texts of a Secret.
 *
 * @example
 * const texts: Texts = { "ca.crt": "" };
 */
export type Texts = { readonly [entry: string]: string };

/**
 * The texts of a Secret; empty if it does not exist.
 *
 * @example
 * const { key } = readTexts({ data: { key: "c2VjcmV0" } });
 */
export function readTexts(secret: { readonly data?: { readonly [entry: string]: string } } | undefined): Texts {
  const entries = Object.entries(secret?.data ?? {});
  return Object.fromEntries(entries.map(([entry, value]) => [entry, Buffer.from(value, "base64").toString("utf8")]));
}

/**
 * The data of a Secret; undefined entries are left out.
 *
 * @example
 * const data = toData({ key: "secret", next: undefined });
 */
export function toData(texts: { readonly [entry: string]: string | undefined }): Texts {
  const given = Object.entries(texts).flatMap(([entry, text]) => (text === undefined ? [] : [[entry, text] as const]));
  return Object.fromEntries(given.map(([entry, text]) => [entry, Buffer.from(text).toString("base64")]));
}
