/** The containers of a node, as processes: starts them, writes their output to logs, passes on signals and tells their end. */
import { existsSync, statSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import type { Launch, Unexecuted, Usage } from "../protocol.ts";
import { endView, viewOf } from "./companions.ts";
import { enroll } from "./enroll.ts";
import { openGate } from "./gate.ts";
import { judge, lookAtCommand, type LookedAt, type Verdict } from "./look-path.ts";
import { keepOutput, type Watcher } from "./output.ts";
import { spawnPiped, type PipedChild } from "./pipes.ts";
import { isRefusalCode } from "./refusal.ts";
import { holdSpaces, releaseSpaces, shareSpaces, type Spaces } from "./spaces.ts";
import { readStatus } from "./status.ts";

/** How a container ended. */
export interface Ending {
  readonly id: string;
  readonly code: number | null;
  readonly signal: string | null;
  /** The line in which the launcher, or what sets the variables, says that the program could not be run. */
  readonly refused: string | undefined;
  readonly unexecuted: Unexecuted | undefined;
  /** Where its program was found. */
  readonly file: string | undefined;
}

/** A container that runs. */
export interface Running {
  readonly launch: Launch;
  readonly child: PipedChild;
  /** The process that is the container's first; the launcher's own until it has told. */
  pid: number;
  /** Its namespaces, as the launcher made them. */
  spaces?: Spaces | undefined;
  readonly watchers: Set<Watcher>;
  /** Its program, and why that was not even tried. */
  seen?: LookedAt | undefined;
  verdict?: Verdict | undefined;
}

/** What containers need of the world. */
export interface ContainersOptions {
  /** The time for logs: calendar time with nine digits of fraction. */
  readonly time: () => string;
  /** Waits for a moment. */
  readonly pause: () => Promise<void>;
  readonly ended: (ending: Ending) => void;
}

const launcher = "/usr/bin/bwrap";
/** How it begins what it says of its own failures. */
const launchersWords = "bwrap: ";
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

  /** A way into a container that runs, for whoever lets it go afterwards. */
  enter(id: string): { readonly pid: number; readonly spaces: Spaces } | undefined {
    const running = this.#running.get(id);
    const spaces = running?.spaces && shareSpaces(running.spaces);
    return running && spaces && { pid: running.pid, spaces };
  }

  /** Starts a container; resolves with the process that is its first. */
  async start(launch: Launch): Promise<{ readonly pid: number; readonly isOver: boolean }> {
    const { membership, tellsPid, refusal } = launch;
    const child = await spawnPiped({ ...launch, channels: [tellsPid, membership !== undefined] });
    const running: Running = { launch, child, pid: child.process.pid ?? 0, watchers: new Set() };
    this.#running.set(launch.id, running);
    const beginnings = refusal === undefined ? [] : [launchersWords, refusal];
    const output = keepOutput(child, { ...launch, time: this.#time, watchers: running.watchers, beginnings });
    const pipes: readonly (Readable | Writable | null | undefined)[] = child.process.stdio;
    const status = tellsPid ? readStatus(pipes[3] as Readable) : undefined;
    void Promise.all([child.closed, output.heard]).then(async ([{ code, signal }]) => {
      const hasStarted = (await status?.hasStarted) ?? true;
      const refused = await output.end(whoRefuses(code, hasStarted, launch));
      this.#running.delete(launch.id);
      if (running.spaces !== undefined) releaseSpaces(running.spaces);
      const file = running.seen && "file" in running.seen ? running.seen.file : undefined;
      this.#ended({ id: launch.id, code, signal, refused, unexecuted: undefined, file, ...running.verdict });
    });
    const told = status === undefined ? running.pid : await status.pid;
    running.pid = told ?? running.pid;
    // Now, because its program waits: whatever that does afterwards, the container is entered where it began.
    if (told !== undefined && this.#running.has(launch.id)) running.spaces = holdSpaces(told);
    // Others of its namespace live on when its program ends; what is left of itself must not.
    if (launch.joins !== undefined) endWithProgram(child, await viewOf(running.pid));
    if (membership !== undefined) {
      await Promise.all([child.process.pid ?? 0, running.pid].map((pid) => enroll(pid, membership)));
      if (told !== undefined) await this.#look(running);
      if (running.verdict === undefined) openGate(pipes[4]);
      else this.signal(launch.id, "SIGKILL");
    }
    // Who waits for a launcher that told of nobody says nothing about the program.
    if ((await this.#untilExecuted(running)) && told !== undefined) output.open();
    return { pid: running.pid, isOver: !this.#running.has(launch.id) };
  }

  /** Looks at the program once everything that it sees has its place, and nothing of it runs yet. */
  async #look(running: Running): Promise<void> {
    const { id, program } = running.launch;
    if (program === undefined) return;
    const root = `/proc/${running.pid}/root`;
    while (this.#running.has(id) && !existsSync(root + program.sign)) await this.#pause();
    running.seen = lookAtCommand(root, program);
    running.verdict = judge(running.seen, program);
  }

  /**
   * Waits until the launcher has become the program. Before that, its first process is still on the way into its file system, and whoever
   * entered it now would find themselves in the node's. Gives whether it was seen to run.
   */
  async #untilExecuted(running: Running): Promise<boolean> {
    // By number, not by name: a container may have a program of the same name.
    const launchers = new Set([launcher, ...(running.launch.launchers ?? [])].map(fileOf));
    while (this.#running.has(running.launch.id)) {
      const program = fileOf(`/proc/${running.pid}/exe`);
      // Without a program a process has ended, and that is told soon.
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

  /** What the processes of a container use together. */
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

/** How the line begins in which the program was refused, if it may have been: what sets the variables runs only once the launcher is done. */
function whoRefuses(
  code: number | null,
  hasStarted: boolean,
  { refusal }: Pick<Launch, "refusal">,
): string | undefined {
  if (!hasStarted) return code === 1 ? launchersWords : undefined;
  return isRefusalCode(code) ? refusal : undefined;
}

/** Which file it is, whatever it is called; or why that is not known. */
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
  const endRest = (): void => void endView(view);
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
    // The name in brackets may hold anything, so fields are counted from behind it: user time is the 12th, system time the 13th.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { cpuNanoseconds: (ticks / clockTicks) * 1e9, memoryBytes: Number(memory.split(" ")[1]) * 4096 };
  } catch {
    return { cpuNanoseconds: 0, memoryBytes: 0 };
  }
}

/** Writes to the standard input of a container, if it has one. */
export function stdinOf({ child }: Running): Writable | null {
  return child.stdin;
}
