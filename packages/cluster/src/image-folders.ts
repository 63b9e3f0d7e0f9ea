/** The files of images, unpacked beside a store once for all clusters that use it. */
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Store } from "@capstan/oci";

/** The folder with the files of the images of a store. */
export function unpackedFolder(store: Store): string {
  return join(store.folder, "unpacked");
}

/** Removes the files of images that are not in the store any more, and what was never finished. No pod may run meanwhile. */
export async function pruneUnpackedImages(store: Store): Promise<void> {
  const top = unpackedFolder(store);
  for (const rights of await readdir(top).catch(() => [])) {
    for (const name of await readdir(join(top, rights))) {
      const isNeeded = /^sha256-[0-9a-f]{64}$/.test(name) && (await store.has(name.replace("-", ":")));
      if (!isNeeded) await rm(join(top, rights, name), { recursive: true, force: true });
    }
  }
}

/** The folder, by the rules of the XDG base directories; undefined where no home is known. */
export function userImageFolder(env: { readonly [name: string]: string | undefined }): string | undefined {
  const { XDG_DATA_HOME: data = "", HOME: home = "" } = env;
  if (data !== "") return join(data, "capstan", "images");
  return home === "" ? undefined : join(home, ".local", "share", "capstan", "images");
}
