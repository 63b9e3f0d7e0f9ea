/** The maximum size of the data of config maps and secrets. */

/** One mebibyte, keys not counted. */
export const maxDataSize: number = 1024 * 1024;

/** The number of bytes that a base64 text encodes. */
export function base64Length(text: string): number {
  const padding = text.endsWith("==") ? 2 : Number(text.endsWith("="));
  return Math.max(0, (text.length / 4) * 3 - padding);
}
