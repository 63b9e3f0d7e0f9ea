/** A lock between processes: a file that only one of them can create. */
import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** Locks are held briefly; one that was seen this often with the same holder was left by a killed process. */
const mostLooks = 6000;
const pause = 5;

/** Runs a function while holding the lock. */
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
    // Another process may have broken the lock, if this one was suspended.
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
