/** Replaces a file as a whole, alone among all programs that lock it as Kubernetes' own tools do. */
import { constants } from "node:fs";
import { access, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { ConfigError } from "../error/config-error.ts";
import { errorCode } from "../network/failure.ts";
import { sleep } from "./clock.ts";
import type { Clock } from "./clock.ts";

/** Others hold the lock for a moment only: one that stays so long was left behind. */
const lockTimeoutMs = 5000;
const lockRetryMs = 25;

/** Writes what `change` makes of the text, if anything. Links are followed; mode and owner stay as they are. */
export async function rewriteFile(
  clock: Clock,
  path: string,
  change: (text: string) => Promise<string | undefined>,
): Promise<void> {
  const file = await realpath(path);
  // One that may not be written could still be replaced: it is not meant to be.
  await access(file, constants.W_OK);
  // By both its names, in an order that is the same for all; a folder with two names has each lock only once.
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

/** Made by one, and by nobody else until it is gone. */
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

/** Readers see the old file or the new one, and a crash leaves one of them. */
async function replace(file: string, text: string): Promise<void> {
  // Ours alone while we hold the lock; one that is there was left behind by a crash.
  const fresh = `${file}.new`;
  await rm(fresh, { force: true });
  try {
    await writeLike(file, fresh, text);
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    if (!cannotReplace.has(errorCode(error) ?? "")) throw error;
    // Its owner cannot be kept, or it is mounted by itself, as into a container: then it is filled anew.
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
