/**
 * Lays out the folders and files of pods. The keeper does it, never the cluster's own process: whatever somebody has put in the way there, a link
 * leads nowhere but into the keeper's root, which has nothing of the machine that can be written to.
 */
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { writeFiles } from "../atomic-files.ts";
import { makeOpenFolder } from "../open-folder.ts";
import type { FilesRequest, LayRequest } from "../protocol.ts";

/** Makes folders that everybody may pass, and files; what is there is brought up to date. */
export async function lay({ folders, files }: LayRequest): Promise<void> {
  for (const { path, mode } of folders) if ((await makeOpenFolder(path)) && mode !== undefined) await chmod(path, mode);
  for (const { path, text, mode } of files) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await chmod(path, mode);
  }
}

/** Brings a volume to exactly these files. */
export function layFiles({ folder, files, stamp, group }: FilesRequest): Promise<void> {
  const all = files.map(([path, { base64, mode }]) => [path, { bytes: Buffer.from(base64, "base64"), mode }] as const);
  return writeFiles(folder, new Map(all), { stamp, group });
}
