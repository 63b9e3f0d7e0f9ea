/** Finds the trees of control groups that killed processes left, wherever on the machine those were started, and removes them. */
import { access, readdir, readlink, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "./remove.ts";

/** The folder in which the trees of all machines are. */
export const forest = "capstan";

/** Trees are named after the process that made them, and after the space in which its number means something. */
export async function treeName(pid: number, owner: string): Promise<string> {
  return `${pid}-${await ownSpace()}-${owner}`;
}

/** Removes what is dead in all forests below a folder. Numbers of another space say nothing here, so their trees are left alone. */
export async function sweep(root: string): Promise<void> {
  const space = await ownSpace();
  for (const folder of await forestsBelow(root)) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, pid, where] = /^(\d+)-(\d+)-/.exec(name) ?? [];
      if (pid !== undefined && where === space && !(await isAlive(pid))) await removeTree(join(folder, name));
    }
    // It goes with its last tree; of those that are not empty nothing goes.
    await rmdir(folder).catch(() => {});
  }
}

async function forestsBelow(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory());
  const deeper = folders.filter(({ name }) => name !== forest).map(({ name }) => forestsBelow(join(folder, name)));
  const own = folders.filter(({ name }) => name === forest).map(({ name }) => join(folder, name));
  return [...own, ...(await Promise.all(deeper)).flat()];
}

async function ownSpace(): Promise<string> {
  return (await readlink("/proc/self/ns/pid")).replace(/\D/g, "");
}

async function isAlive(pid: string): Promise<boolean> {
  return access(`/proc/${pid}`).then(
    () => true,
    () => false,
  );
}
