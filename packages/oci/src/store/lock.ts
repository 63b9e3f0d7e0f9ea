/** A lock that several processes respect: a file that only one of them can make. */
import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Whoever holds a lock is done in no time; one that was seen so often with the same holder was left by a process that was killed. */
const mostLooks = 6000;
const pause = 5;

/** Does something while nobody else does anything under the same lock. */
export async function withLock<T>(path: string, work: () => Promise<T>, patience: number = mostLooks): Promise<T> {
  const own = randomUUID();
  let holder = "";
  let looks = 0;
  while (!(await take(path, own))) {
    const seen = await readHolder(path);
    looks = seen === holder ? looks + 1 : 0;
    holder = seen;
    if (looks > patience) await rm(path, { force: true });
    else await wait(pause);
  }
  try {
    return await work();
  } finally {
    // Somebody may have taken it for left, if this process was held up.
    if ((await readHolder(path)) === own) await rm(path, { force: true });
  }
}

function readHolder(path: string): Promise<string> {
  return readFile(path, "utf8").catch(() => "");
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
