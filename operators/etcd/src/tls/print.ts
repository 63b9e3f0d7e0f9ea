/** Hash of what a member reads only at its start. */
import { createHash } from "node:crypto";

export function printOf(...texts: readonly string[]): string {
  const hash = createHash("sha256");
  for (const text of texts) hash.update(text).update("\0");
  return hash.digest("hex").slice(0, 16);
}
