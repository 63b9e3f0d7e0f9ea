/** The containers of a node, as processes: starts them, writes their output to logs, passes on signals and tells their end. */
import { statSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { createLogEncoder, endOfStream, type OutputStream } from "../cri-log.ts";
import type { Launch, Usage } from "../protocol.ts";
import { endView, viewOf } from "./companions.ts";
import { enroll } from "./enroll.ts";
import { openGate } from "./gate.ts";
import { LogFile } from "./log-file.ts";
import { spawnPiped, type PipedChild } from "./pipes.ts";
import { isRefusal } from "./refusal.ts";
import { holdSpaces, releaseSpaces, shareSpaces, type Spaces } from "./spaces.ts";

/** How a container ended. */
export interface Ending {
  readonly id: string;
  readonly code: number | null;
  readonly signal: string | null;
  readonly tail: string;
  readonly hasRun: boolean;
}

/** A container that runs. */
export interface Running {
  readonly launch: Launch;
  readonly child: PipedChild;
  /** The process that is the container's first; the launcher's own until it has told. */
  pid: number;
  /** Its namespaces, as the launcher made them. */
  spaces?: Spaces | undefined;
  /** Whether the launcher was seen to have become the program. */
  hasRun: boolean;
  /** Whoever wants to see the output as it comes. */
  readonly watchers: Set<(stream: OutputStream, chunk: Buffer) => void>;
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
const tailLength = 1024;
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
    const { membership, tellsPid } = launch;
    const child = await spawnPiped({ ...launch, channels: [tellsPid, membership !== undefined] });
    const running: Running = { launch, child, pid: child.process.pid ?? 0, hasRun: false, watchers: new Set() };
    this.#running.set(launch.id, running);
    const words = this.#keepOutput(running);
    void Promise.all([child.closed, words]).then(([{ code, signal }, { tail, isMore }]) => {
      this.#running.delete(launch.id);
      if (running.spaces !== undefined) releaseSpaces(running.spaces);
      this.#ended({ id: launch.id, code, signal, tail, hasRun: running.hasRun || isMore });
    });
    const pipes: readonly (Readable | Writable | null | undefined)[] = child.process.stdio;
    const told = tellsPid ? await readPid(pipes[3] as Readable) : running.pid;
    running.pid = told ?? running.pid;
    // Now, because its program waits: whatever that does afterwards, the container is entered where it began.
    if (told !== undefined && this.#running.has(launch.id)) running.spaces = holdSpaces(told);
    // Others of its namespace live on when its program ends; what is left of itself must not.
    if (launch.joins !== undefined) endWithProgram(child, await viewOf(running.pid));
    if (membership !== undefined) {
      await Promise.all([child.process.pid ?? 0, running.pid].map((pid) => enroll(pid, membership)));
      openGate(pipes[4]);
    }
    await this.#untilExecuted(running, told !== undefined);
    return { pid: running.pid, isOver: !this.#running.has(launch.id) };
  }

  /**
   * Waits until the launcher has become the program. Before that, its first process is still on the way into its file system, and whoever
   * entered it now would find themselves in the node's.
   */
  async #untilExecuted(running: Running, isFirst: boolean): Promise<void> {
    // By number, not by name: a container may have a program of the same name.
    const launchers = new Set([launcher, ...(running.launch.launchers ?? [])].map(fileOf));
    while (this.#running.has(running.launch.id)) {
      const program = fileOf(`/proc/${running.pid}/exe`);
      // Without a program a process has ended, and that is told soon.
      if (program === "ENOENT" || launchers.has(program)) {
        await this.#pause();
        continue;
      }
      // Who waits for a launcher that told of nobody says nothing about the program.
      running.hasRun = isFirst;
      return;
    }
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

  /** Writes the output to the log; resolves with the last words when there are no more. */
  async #keepOutput({ launch, child, watchers }: Running): Promise<LastWords> {
    const log = new LogFile(launch.log);
    let tail: Buffer = Buffer.alloc(0);
    let count = 0;
    const keep = (stream: OutputStream, output: Readable): Promise<void> => {
      const encode = createLogEncoder(stream, this.#time);
      output.on("data", (chunk: Buffer) => {
        count += chunk.length;
        if (stream === "stderr") tail = Buffer.concat([tail, chunk]).subarray(-tailLength);
        for (const watch of watchers) watch(stream, chunk);
        output.pause();
        void log.write(encode(chunk)).then(() => output.resume());
      });
      return new Promise((resolve) => output.once("close", () => void log.write(endOfStream(encode)).then(resolve)));
    };
    await Promise.all([keep("stdout", child.stdout), keep("stderr", child.stderr)]);
    await log.close();
    const words = tail.toString("utf8");
    return { tail: words, isMore: count > tail.length || !isRefusal(words) };
  }
}

/** What a container said at last on standard error. */
interface LastWords {
  readonly tail: string;
  /** Whether it said anything else than this one line: a launcher that fails says nothing else. */
  readonly isMore: boolean;
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

/** Bubblewrap tells the process it started as JSON. All of it must be read: a pipe that is closed early would kill the teller. */
function readPid(info: Readable): Promise<number | undefined> {
  let text = "";
  return new Promise((resolve) => {
    info.on("data", (chunk: Buffer) => {
      text += chunk.toString("utf8");
      const pid = /"child-pid":\s*(\d+)\D/.exec(text)?.[1];
      if (pid !== undefined) resolve(Number(pid));
    });
    info.once("close", () => resolve(undefined));
  });
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
