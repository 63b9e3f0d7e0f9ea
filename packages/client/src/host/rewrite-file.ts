/** Replaces a file atomically under the lock file that Kubernetes tools use. */
import { constants } from "node:fs";
import { access, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ConfigError } from "../error/config-error.ts";
import { errorCode } from "../network/failure.ts";
import { sleep } from "./clock.ts";
import type { Clock } from "./clock.ts";

/** Other tools hold the lock briefly: a lock of this age is stale. */
const lockTimeoutMs = 5000;
const lockRetryMs = 25;

/** Writes the result of `change`, if any. Follows links; keeps mode and owner. */
export async function rewriteFile(
  clock: Clock,
  path: string,
  change: (text: string) => Promise<string | undefined>,
): Promise<void> {
  const file = await realpath(path);
  // A read-only file could still be replaced by rename, but must not be.
  await access(file, constants.W_OK);
  // Locks both names of the file in a fixed order; a folder with two names has each lock once.
  const named = join(await realpath(dirname(path)), basename(path));
  const names = [...new Set([named, file])].toSorted();
  await withLock(clock, names, async () => {
    const text = await readFile(file, "utf8");
    const changed = await change(text);
    if (changed !== undefined && changed !== text) await replace(file, changed);
  });
}

async function withLock(clock: Clock, [name, ...others]: readonly string[], work: () => Promise<void>): Promise<void> {
  if (name === undefined) return work();
  const lock = `${name}.lock`;
  await acquireLock(clock, lock);
  try {
    await withLock(clock, others, work);
  } finally {
    await rm(lock, { force: true });
  }
}

/** Creates the lock file exclusively. */
async function acquireLock(clock: Clock, lock: string): Promise<void> {
  const until = clock.now() + lockTimeoutMs;
  for (;;) {
    try {
      return await (await open(lock, "wx", 0o600)).close();
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      if (clock.now() >= until) throw staleLockError(lock, error);
    }
    await sleep(clock, lockRetryMs);
  }
}

function staleLockError(lock: string, cause: unknown): ConfigError {
  return new ConfigError("Unwritable", `${lock} is there; remove it if no program is writing`, cause);
}

/** Readers see the old or the new file, also after a crash. */
async function replace(file: string, text: string): Promise<void> {
  // Under the lock this file is ours; an existing one is left from a crash.
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  try {
    await writeLike(file, fresh, text);
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    if (!cannotReplace.has(errorCode(error) ?? "")) throw error;
    // The owner cannot be kept, or the file is a mount point, as in containers: it is overwritten in place.
    await writeFile(file, text);
  }
}

const cannotReplace: ReadonlySet<string> = new Set(["EPERM", "EBUSY", "EXDEV"]);

async function writeLike(file: string, fresh: string, text: string): Promise<void> {
  const { mode, uid, gid } = await stat(file);
  const handle = await open(fresh, "wx", 0o600);
  try {
    await handle.writeFile(text);
    await keepOwner(handle, uid, gid);
    await handle.chmod(mode & 0o7777);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function keepOwner(handle: FileHandle, uid: number, gid: number): Promise<void> {
  const own = await handle.stat();
  if (own.uid !== uid || own.gid !== gid) await handle.chown(uid, gid);
}
