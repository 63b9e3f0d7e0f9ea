/**
 * Creates the folders and files of pods. The shim does this, never the cluster's own process: a link that a pod planted resolves within
 * the shim's root, which contains nothing of the machine that is writable.
 */
import { chmod, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFiles } from "../atomic-files.ts";
import { makeFolders } from "../make-folders.ts";
import { makeOpenFolder } from "../open-folder.ts";
import type { VolumeFilesRequest, WriteFilesRequest } from "../protocol.ts";

/** Creates folders that all users may enter, and files; existing ones are updated. */
export async function writeFilesAndFolders({ folders, files }: WriteFilesRequest): Promise<void> {
  for (const { path, mode } of folders) if ((await makeOpenFolder(path)) && mode !== undefined) await chmod(path, mode);
  for (const { path, text, mode } of files) {
    makeFolders(dirname(path));
    await writeFile(path, text);
    await chmod(path, mode);
  }
}

/** Makes a volume contain exactly these files. */
export function writeVolumeFiles({ folder, files, stamp, group }: VolumeFilesRequest): Promise<void> {
  const all = files.map(([path, { base64, mode }]) => [path, { bytes: Buffer.from(base64, "base64"), mode }] as const);
  return writeFiles(folder, new Map(all), { stamp, group });
}
