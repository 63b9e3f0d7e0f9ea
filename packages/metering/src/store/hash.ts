/** The keyed hash of values that are not to be stored: the key is made once and stays in the store. */
import { createHmac, randomBytes } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Book } from "../book/book.ts";

/** The hash function of a store; a book that hashes nothing needs no key. */
export async function hashOf(folder: string, { meters }: Pick<Book, "meters">): Promise<(value: string) => string> {
  if (![...meters.values()].some(({ hash }) => hash.length > 0)) return (value) => value;
  const key = await loadKey(folder);
  return (value) => createHmac("sha256", key).update(value).digest("hex");
}

async function loadKey(folder: string): Promise<Buffer> {
  const path = join(folder, "hash.key");
  const known = await readFile(path).catch(() => undefined);
  if (known !== undefined) return known;
  const made = randomBytes(32);
  await mkdir(folder, { recursive: true });
  await writeFile(path, made, { mode: 0o600, flag: "wx" });
  return made;
}
