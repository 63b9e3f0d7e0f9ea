/** Removes a cgroup tree: only empty groups can be removed, the deepest first, and processes may take a moment to leave them. */
import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

const tries = 100;

/** Removes a folder and everything below it; groups that stay in use are left. `pause` waits for a moment. */
export async function removeTree(folder: string, pause: () => Promise<void> = moment): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  for (const entry of entries) if (entry.isDirectory()) await removeTree(join(folder, entry.name), pause);
  for (let count = 0; count < tries; count++) {
    const code = await rmdir(folder).then(
      () => undefined,
      (error: NodeJS.ErrnoException) => error.code,
    );
    if (code !== "EBUSY") return;
    await pause();
  }
}

function moment(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
