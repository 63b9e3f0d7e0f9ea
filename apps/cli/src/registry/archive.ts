/** Writes an image as an archive: the whole of it, or nothing. */
import { rename, rm } from "node:fs/promises";
import { saveArchive, type Store } from "@capstan/oci";
import { atPath } from "../disk-error.ts";

/** Writes an image that is in a store. What is special, like a pipe, is written to as it is. */
export async function writeArchive(tag: string, store: Store, path: string): Promise<void> {
  if (path.startsWith("/dev/")) return atPath(path, saveArchive(tag, store, path));
  const fresh = `${path}.capstan-new`;
  try {
    await atPath(path, saveArchive(tag, store, fresh));
    await atPath(path, rename(fresh, path));
  } catch (error) {
    await rm(fresh, { force: true }).catch(() => undefined);
    throw error;
  }
}
