/** Finds and removes the cgroup trees that killed nodes left anywhere on the machine. */
import { access, readdir, readlink, rmdir } from "node:fs/promises";
import { join } from "node:path";
import { removeTree } from "./remove.ts";

/** The folder that contains the trees of all nodes. */
export const forest = "capstan";

/** A tree is named after the process that made it, and after the PID namespace in which its pid is valid. */
export async function treeName(pid: number, owner: string): Promise<string> {
  return `${pid}-${await ownSpace()}-${owner}`;
}

/** Removes the trees of dead processes below a folder. The pids of other PID namespaces cannot be checked, so their trees stay. */
export async function sweep(root: string): Promise<void> {
  const space = await ownSpace();
  for (const folder of await forestsBelow(root)) {
    for (const name of await readdir(folder).catch(() => [])) {
      const [, pid, where] = /^(\d+)-(\d+)-/.exec(name) ?? [];
      if (pid !== undefined && where === space && !(await isAlive(pid))) await removeTree(join(folder, name));
    }
    // The folder is removed with its last tree; `rmdir` fails while it is not empty.
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
