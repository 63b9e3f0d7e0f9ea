/** What processes that were killed left in a store: halves of blobs that nobody will finish. */
import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** How the names of blobs begin that are being written. */
export const incoming = ".incoming-";

/** How the names of blobs begin that arrived in part, and may be continued. */
export const partly = ".partial-";

/** Whoever has not written for so long does not live any more; processes cannot be asked, since those of other machines may use the store too. */
const longestPause = 60 * 60 * 1000;

/** Removes halves that were left an hour or more before a file was written that is new. */
export async function removeLeftOvers(folder: string, newFile: string): Promise<void> {
  const now = await modified(newFile);
  for (const name of await readdir(folder)) {
    if (!name.startsWith(incoming) && !name.startsWith(partly)) continue;
    const path = join(folder, name);
    if (now - (await modified(path)) >= longestPause) await rm(path, { force: true });
  }
}

/** By the clock of the disk; what has gone meanwhile is of no age. */
function modified(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => Number.POSITIVE_INFINITY,
  );
}
