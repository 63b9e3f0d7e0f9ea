/** Writes the files of a volume atomically, as the kubelet does: a folder of files, a link to it, and a link for each file. */
import { chmod, chown, readdir, readFile, readlink, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NodeError } from "../errors.ts";
import type { VolumeFile } from "../runtime/runtime.ts";
import { makeOpenFolder } from "./open-folder.ts";

const dataLink = "..data";

/** Makes a volume contain exactly these files; does nothing if it already does. `stamp` names the new folder. */
export async function writeFiles(
  folder: string,
  files: ReadonlyMap<string, VolumeFile>,
  { stamp, group }: { readonly stamp: string; readonly group: number | undefined },
): Promise<void> {
  for (const path of files.keys()) checkPath(path);
  await makeOpenFolder(folder);
  const old = ownFolder(await readlink(join(folder, dataLink)).catch(() => undefined));
  if (old !== undefined && (await isSame(join(folder, old), files))) return;
  const fresh = `..${stamp}`;
  try {
    await fill(join(folder, fresh), files, group);
    await turnTo(folder, fresh);
  } catch (thrown) {
    // On a full disk every retry would leave one more folder.
    await rm(join(folder, fresh), { recursive: true, force: true });
    throw thrown;
  }
  await linkNames(folder, files);
  if (old !== undefined) await rm(join(folder, old), { recursive: true, force: true });
}

/** Switches the link atomically. An earlier writer may have been killed in the middle of this. */
async function turnTo(folder: string, fresh: string): Promise<void> {
  const next = join(folder, "..data_tmp");
  await rm(next, { force: true });
  await symlink(fresh, next);
  await rename(next, join(folder, dataLink));
}

/** The folder that the link names, if this module wrote it. Any other target is not ours to remove. */
function ownFolder(link: string | undefined): string | undefined {
  return link !== undefined && /^\.\.[^./][^/]*$/.test(link) ? link : undefined;
}

function checkPath(path: string): void {
  const parts = path.split("/");
  const isBad = path === "" || path.startsWith("/") || parts.includes("..") || path.startsWith("..");
  if (isBad) throw new NodeError("FailedMount", `"${path}" is not a path inside a volume`);
}

async function fill(folder: string, files: ReadonlyMap<string, VolumeFile>, group: number | undefined): Promise<void> {
  await makeOpenFolder(folder);
  for (const [path, { bytes, mode }] of files) {
    const file = join(folder, path);
    await makeOpenFolder(dirname(file));
    await writeFile(file, bytes);
    if (group !== undefined) await chown(file, -1, group).catch(() => {});
    await chmod(file, group === undefined ? mode : mode | 0o040);
  }
}

async function isSame(folder: string, files: ReadonlyMap<string, VolumeFile>): Promise<boolean> {
  const present = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  if (present.filter((entry) => entry.isFile()).length !== files.size) return false;
  for (const [path, { bytes }] of files) {
    const there = await readFile(join(folder, path)).catch(() => undefined);
    if (there === undefined || !there.equals(bytes)) return false;
  }
  return true;
}

/** The visible names are links to the files in the folder behind `..data`. */
async function linkNames(folder: string, files: ReadonlyMap<string, VolumeFile>): Promise<void> {
  const wanted = new Set([...files.keys()].map((path) => path.split("/")[0] ?? ""));
  for (const name of await readdir(folder))
    if (!name.startsWith("..") && !wanted.has(name)) await unlink(join(folder, name));
  for (const name of wanted)
    await symlink(join(dataLink, name), join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "EEXIST") throw error;
    });
}
