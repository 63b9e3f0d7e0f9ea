/** Writes an image as an archive, completely or not at all. */
import { rename, rm } from "node:fs/promises";
import { saveArchive, type Store } from "@capstan/oci";
import { atPath } from "../disk-error.ts";

/** Writes an image of a store. Special files such as pipes are written directly. */
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
