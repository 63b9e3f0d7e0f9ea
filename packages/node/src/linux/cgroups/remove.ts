/** Removes a tree of control groups: only empty folders can go, the deepest first, and processes may take a moment to leave them. */
import { readdir, rmdir } from "node:fs/promises";
import { join } from "node:path";

const tries = 100;

/** Removes a folder and all below it; what is still in use after a while stays. `pause` waits for a moment. */
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
