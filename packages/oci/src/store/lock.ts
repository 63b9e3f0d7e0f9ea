/** A lock that several processes respect: a file that only one of them can make. */
import { randomUUID } from "node:crypto";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Whoever holds a lock is done in no time; one that is older than this was left by a process that was killed. */
const longestHold = 10_000;
const pause = 5;

/** Does something while nobody else does anything under the same lock. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const own = randomUUID();
  while (!(await take(path, own))) {
    if (await isLeft(path)) await rm(path, { force: true });
    else await wait(pause);
  }
  try {
    return await work();
  } finally {
    // Somebody may have taken it for left, if this process was held up.
    if ((await readFile(path, "utf8").catch(() => "")) === own) await rm(path, { force: true });
  }
}

function take(path: string, own: string): Promise<boolean> {
  return writeFile(path, own, { flag: "wx" }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "EEXIST") return false;
      throw error;
    },
  );
}

async function isLeft(path: string): Promise<boolean> {
  const made = await stat(path).catch(() => undefined);
  return made !== undefined && Date.now() - made.mtimeMs > longestHold;
}
