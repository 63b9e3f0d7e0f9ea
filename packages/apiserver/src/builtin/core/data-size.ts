/** How much data config maps and secrets may carry. */

/** One mebibyte, keys not counted. */
export const maxDataSize: number = 1024 * 1024;

/** How many bytes a base64 text stands for. */
export function base64Length(text: string): number {
  const padding = text.endsWith("==") ? 2 : Number(text.endsWith("="));
  return Math.max(0, (text.length / 4) * 3 - padding);
}
