/** One writer at a time: a lock file with the process id; the lock of a dead process is taken over. */
import { link, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { MeterError } from "../error.ts";

/** A lock that is held. */
export interface Lock extends AsyncDisposable {
  readonly path: string;
}

/** How a lock is taken. */
export interface LockOptions {
  readonly pid: number;
  /** Waits between attempts; without it a held lock is an error. */
  readonly wait?: () => Promise<void>;
  /** The file of the lock. */
  readonly name?: string;
}

/** Takes the lock of a folder. */
export async function takeLock(folder: string, { pid, wait, name = "lock" }: LockOptions): Promise<Lock> {
  const path = join(folder, name);
  await mkdir(folder, { recursive: true });
  for (;;) {
    const holder = await attempt(path, pid);
    if (holder === undefined) return { path, [Symbol.asyncDispose]: () => rm(path, { force: true }) };
    if (wait === undefined)
      throw new MeterError(
        "Locked",
        `another process (pid ${holder}) writes to ${folder}; wait for it with --wait, or try again later`,
      );
    await wait();
  }
}

async function attempt(path: string, pid: number): Promise<string | undefined> {
  // The link makes the lock appear with its content, or not at all.
  const own = `${path}.own.${pid}`;
  try {
    await writeFile(own, `${pid} ${await startOf(pid)}\n`);
    await link(own, path);
    return undefined;
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await rm(own, { force: true });
  }
  const text = await readFile(path, "utf8").catch(() => "");
  const [holder = "", started = ""] = text.trim().split(" ");
  if (holder !== "" && (await isAlive(holder, started))) return holder;
  // The rename decides between two processes that find the same dead lock.
  const aside = `${path}.${pid}`;
  await rename(path, aside).catch(() => undefined);
  await rm(aside, { force: true });
  return attempt(path, pid);
}

async function isAlive(pid: string, started: string): Promise<boolean> {
  try {
    process.kill(Number(pid), 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  const start = await startOf(Number(pid));
  return started === "" || start === "" || start === started;
}

/** The start time of a process where the system shows it: a process id that is used again is another process. */
async function startOf(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return stat === "" ? "" : (stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "");
}
