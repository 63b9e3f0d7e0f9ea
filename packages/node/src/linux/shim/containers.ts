/** The containers of a node as processes: starts them, writes their output to logs, sends signals and reports their exit. */
import { existsSync, statSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { Launch, Unexecuted, Usage } from "../protocol.ts";
import { killMountNamespace, mountNamespaceOf } from "./kill-processes.ts";
import { joinCgroups } from "./join-cgroups.ts";
import { openGate } from "./start-gate.ts";
import { execErrorOf, lookAtCommand, type LookedAt, type ExecError } from "./look-path.ts";
import { keepOutput, type Watcher } from "./output.ts";
import { spawnPiped, type PipedChild } from "./pipes.ts";
import { isExecErrorCode } from "./exec-error.ts";
import { holdSpaces, releaseSpaces, shareSpaces, type Spaces } from "./spaces.ts";
import { readStatus } from "./status.ts";

export interface Ending {
  readonly id: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** The line in which the launcher, or the program that sets the variables, reports that the program could not be executed. */
  readonly refused: string | undefined;
  readonly unexecuted: Unexecuted | undefined;
  /** Where the program was found. */
  readonly file: string | undefined;
}

export interface Running {
  readonly launch: Launch;
  readonly child: PipedChild;
  /** The first process of the container; that of the launcher until the launcher reports it. */
  pid: number;
  /** Its namespaces, as the launcher made them. */
  spaces?: Spaces | undefined;
  readonly watchers: Set<Watcher>;
  /** Its program, and why that was not executed. */
  seen?: LookedAt | undefined;
  execError?: ExecError | undefined;
}

/** What containers need from the process. */
export interface ContainersOptions {
  /** The time for logs: RFC 3339 with nine fraction digits. */
  readonly time: () => string;
  readonly pause: () => Promise<void>;
  readonly ended: (ending: Ending) => void;
}

const launcher = "/usr/bin/bwrap";
/** The prefix of the launcher's error messages. */
const launcherPrefix = "bwrap: ";
const clockTicks = 100;

/** The containers of a node. */
export class Containers {
  readonly #running = new Map<string, Running>();
  readonly #ended: (ending: Ending) => void;
  readonly #time: () => string;

  readonly #pause: () => Promise<void>;

  constructor({ time, pause, ended }: ContainersOptions) {
    this.#time = time;
    this.#pause = pause;
    this.#ended = ended;
  }

  find(id: string): Running | undefined {
    return this.#running.get(id);
  }

  /** Opens the namespaces of a running container; the caller closes them afterwards. */
  enter(id: string): { readonly pid: number; readonly spaces: Spaces } | undefined {
    const running = this.#running.get(id);
    const spaces = running?.spaces && shareSpaces(running.spaces);
    return running && spaces && { pid: running.pid, spaces };
  }

  /** Starts a container; resolves with its first process. */
  async start(launch: Launch): Promise<{ readonly pid: number; readonly isOver: boolean }> {
    const { membership, reportsPid, execErrorPrefix } = launch;
    const child = await spawnPiped({ ...launch, channels: [reportsPid, membership !== undefined] });
    const running: Running = { launch, child, pid: child.process.pid ?? 0, watchers: new Set() };
    this.#running.set(launch.id, running);
    const beginnings = execErrorPrefix === undefined ? [] : [launcherPrefix, execErrorPrefix];
    const output = keepOutput(child, { ...launch, time: this.#time, watchers: running.watchers, beginnings });
    const pipes: readonly (Readable | Writable | null | undefined)[] = child.process.stdio;
    const status = reportsPid ? readStatus(pipes[3] as Readable) : undefined;
    void Promise.all([child.closed, output.drained]).then(async ([{ code, signal }]) => {
      const hasStarted = (await status?.hasStarted) ?? true;
      const refused = await output.end(execErrorPrefixFor(code, hasStarted, launch));
      this.#running.delete(launch.id);
      if (running.spaces !== undefined) releaseSpaces(running.spaces);
      const file = running.seen && "file" in running.seen ? running.seen.file : undefined;
      this.#ended({ id: launch.id, code, signal, refused, unexecuted: undefined, file, ...running.execError });
    });
    const reportedPid = status === undefined ? running.pid : await status.pid;
    running.pid = reportedPid ?? running.pid;
    // Opened now, while its program waits: whatever the program does later, the container is entered in its original namespaces.
    if (reportedPid !== undefined && this.#running.has(launch.id)) running.spaces = holdSpaces(reportedPid);
    // Other processes of the joined PID namespace survive the end of its program; its own processes must not.
    if (launch.joins !== undefined) endWithProgram(child, await mountNamespaceOf(running.pid));
    if (membership !== undefined) {
      await Promise.all([child.process.pid ?? 0, running.pid].map((pid) => joinCgroups(pid, membership)));
      if (reportedPid !== undefined) await this.#look(running);
      if (running.execError === undefined) openGate(pipes[4]);
      else this.signal(launch.id, "SIGKILL");
    }
    // If the launcher did not report a process, the executable that was seen may not be that of the program.
    if ((await this.#untilExecuted(running)) && reportedPid !== undefined) output.open();
    return { pid: running.pid, isOver: !this.#running.has(launch.id) };
  }

  /** Checks the program once all mounts are in place and before it runs. */
  async #look(running: Running): Promise<void> {
    const { id, program } = running.launch;
    if (program === undefined) return;
    const root = `/proc/${running.pid}/root`;
    while (this.#running.has(id) && !existsSync(root + program.sign)) await this.#pause();
    running.seen = lookAtCommand(root, program);
    running.execError = execErrorOf(running.seen, program);
  }

  /**
   * Waits until the launcher has executed the program. Before that, its first process may still be in the node's file system, and a
   * process that entered it would be there too. Returns whether the program was seen running.
   */
  async #untilExecuted(running: Running): Promise<boolean> {
    // By inode, not by name: a container may have a program of the same name.
    const launchers = new Set([launcher, ...(running.launch.launchers ?? [])].map(fileOf));
    while (this.#running.has(running.launch.id)) {
      const program = fileOf(`/proc/${running.pid}/exe`);
      // A process without an executable has ended; its exit is reported soon.
      if (program !== "ENOENT" && !launchers.has(program)) return true;
      await this.#pause();
    }
    return false;
  }

  /** Signals the first process of a container. */
  signal(id: string, signal: NodeJS.Signals | number): boolean {
    const running = this.#running.get(id);
    if (running === undefined) return false;
    try {
      return process.kill(running.pid, signal);
    } catch {
      return false;
    }
  }

  /** The total usage of the processes of a container. */
  async usage(id: string): Promise<Usage> {
    const running = this.#running.get(id);
    if (running === undefined) return { cpuNanoseconds: 0, memoryBytes: 0 };
    const space = await readlink(`/proc/${running.pid}/ns/pid`);
    const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
    const parts = await Promise.all(pids.map((pid) => usageIn(pid, space)));
    return parts.reduce(
      (sum, part) => ({
        cpuNanoseconds: sum.cpuNanoseconds + part.cpuNanoseconds,
        memoryBytes: sum.memoryBytes + part.memoryBytes,
      }),
      { cpuNanoseconds: 0, memoryBytes: 0 },
    );
  }
}

/** The prefix of the error line, if the program may not have been executed: variables are set only after the launcher is done. */
function execErrorPrefixFor(
  code: number | null,
  hasStarted: boolean,
  { execErrorPrefix }: Pick<Launch, "execErrorPrefix">,
): string | undefined {
  if (!hasStarted) return code === 1 ? launcherPrefix : undefined;
  return isExecErrorCode(code) ? execErrorPrefix : undefined;
}

/** The device and inode of a file, or the error code. */
function fileOf(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}

function endWithProgram({ process: program }: PipedChild, view: string | undefined): void {
  if (view === undefined) return;
  const endRest = (): void => void killMountNamespace(view);
  if (program.exitCode !== null || program.signalCode !== null) endRest();
  else program.once("exit", endRest);
}

async function usageIn(pid: string, space: string): Promise<Usage> {
  try {
    if ((await readlink(`/proc/${pid}/ns/pid`)) !== space) return { cpuNanoseconds: 0, memoryBytes: 0 };
    const [stat, memory] = await Promise.all([
      readFile(`/proc/${pid}/stat`, "utf8"),
      readFile(`/proc/${pid}/statm`, "utf8"),
    ]);
    // The name in brackets may contain anything, so fields are counted from behind it: user time is the 12th, system time the 13th.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { cpuNanoseconds: (ticks / clockTicks) * 1e9, memoryBytes: Number(memory.split(" ")[1]) * 4096 };
  } catch {
    return { cpuNanoseconds: 0, memoryBytes: 0 };
  }
}

/** The standard input of a container, if it has one. */
export function stdinOf({ child }: Running): Writable | null {
  return child.stdin;
}
