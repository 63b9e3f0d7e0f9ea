/** The folders for images: those that a user's clusters share, and their unpacked layers beside the store. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@capstan/oci";

/** The folder with the unpacked images of a store. */
export function unpackedFolder(store: Store): string {
  return join(store.folder, "unpacked");
}

/** Removes unpacked images that the store no longer has, and incomplete ones. No pod may run meanwhile. */
export async function pruneUnpackedImages(store: Store): Promise<void> {
  const top = unpackedFolder(store);
  for (const rights of await readdir(top).catch(() => [])) {
    for (const name of await readdir(join(top, rights))) {
      const isNeeded = /^sha256-[0-9a-f]{64}$/.test(name) && (await store.has(name.replace("-", ":")));
      if (!isNeeded) await rm(join(top, rights, name), { recursive: true, force: true });
    }
  }
}

/** The image folder of a user, by the XDG base directory rules; undefined without a home directory. */
export function userImageFolder(env: { readonly [name: string]: string | undefined }): string | undefined {
  const { XDG_DATA_HOME: data = "", HOME: home = "" } = env;
  if (data !== "") return join(data, "capstan", "images");
  return home === "" ? undefined : join(home, ".local", "share", "capstan", "images");
}
