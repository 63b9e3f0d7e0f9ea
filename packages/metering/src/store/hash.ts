/** The keyed hash of values that are not to be stored: the key is made once and stays in the store. */
import { createHmac, randomBytes } from "node:crypto";
import type { Book } from "../book/book.ts";
import type { Archive } from "./archive.ts";

/** The hash function of a store; a book that hashes nothing needs no key. */
export async function hashOf(
  { archive }: { readonly archive: Archive },
  { meters }: Pick<Book, "meters">,
): Promise<(value: string) => string> {
  if (![...meters.values()].some(({ hash }) => hash.length > 0)) return (value) => value;
  const key = await archive.hashKey(() => randomBytes(32));
  return (value) => createHmac("sha256", key).update(value).digest("hex");
}
