/** The containers of a node, as processes: starts them, writes their output to logs, passes on signals and tells their end. */
import { readdir, readFile, readlink, stat, writeFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { createLogEncoder, endOfStream, type OutputStream } from "../cri-log.ts";
import type { Launch, Usage } from "../protocol.ts";
import { endView, viewOf } from "./companions.ts";
import { enroll } from "./enroll.ts";
import { LogFile } from "./log-file.ts";
import { spawnPiped, type PipedChild } from "./pipes.ts";

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

  /** Starts a container; resolves with the process that is its first. */
  async start(launch: Launch): Promise<{ readonly pid: number; readonly isOver: boolean }> {
    const { waitsForUsers, membership, tellsPid, filter } = launch;
    const channels = [tellsPid, waitsForUsers, membership !== undefined, filter !== undefined];
    const child = await spawnPiped({ ...launch, channels });
    const running: Running = { launch, child, pid: child.process.pid ?? 0, hasRun: false, watchers: new Set() };
    this.#running.set(launch.id, running);
    const words = this.#keepOutput(running);
    void Promise.all([child.closed, words]).then(([{ code, signal }, { tail, isMore }]) => {
      this.#running.delete(launch.id);
      this.#ended({ id: launch.id, code, signal, tail, hasRun: running.hasRun || isMore });
    });
    const pipes: readonly (Readable | Writable | null | undefined)[] = child.process.stdio;
    if (filter !== undefined) open(pipes[6] as Writable, Buffer.from(filter, "base64"));
    const told = tellsPid ? await toldPid(launch, pipes[3] as Readable) : running.pid;
    running.pid = told ?? running.pid;
    // Others of its namespace live on when its program ends; what is left of itself must not.
    if (launch.joins !== undefined) endWithProgram(child, await viewOf(running.pid));
    if (waitsForUsers) await letIn(running.pid, pipes[4] as Writable);
    if (membership !== undefined) {
      await Promise.all([child.process.pid ?? 0, running.pid].map((pid) => enroll(pid, membership)));
      open(pipes[5] as Writable);
    }
    await this.#untilExecuted(running, told !== undefined);
    return { pid: running.pid, isOver: !this.#running.has(launch.id) };
  }

  /**
   * Waits until the launcher has become the program. Before that, its first process is still on the way into its file system, and whoever
   * entered it now would find themselves in the node's.
   */
  async #untilExecuted(running: Running, isFirst: boolean): Promise<void> {
    while (this.#running.has(running.launch.id)) {
      // By number, not by name: a container may have a program of the same name. Without a program a process has ended, and that is told soon.
      const [program, own] = await Promise.all([fileOf(`/proc/${running.pid}/exe`), fileOf(launcher)]);
      if (program === "ENOENT" || program === own) {
        await this.#pause();
        continue;
      }
      // Who waits for a launcher that told of nobody says nothing about the program.
      running.hasRun = isFirst;
      return;
    }
  }

  /** Signals the first process of a container. */
  signal(id: string, signal: NodeJS.Signals): boolean {
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
    return { tail: tail.toString("utf8"), isMore: count > tail.length || tail.indexOf("\n") < tail.length - 1 };
  }
}

/** What a container said at last on standard error. */
interface LastWords {
  readonly tail: string;
  /** Whether it said anything else than this one line: a launcher that fails says nothing else. */
  readonly isMore: boolean;
}

/** Which file it is, whatever it is called; or why that is not known. */
async function fileOf(path: string): Promise<string> {
  return stat(path).then(
    ({ dev, ino }) => `${dev}:${ino}`,
    (error: NodeJS.ErrnoException) => error.code ?? "",
  );
}

function endWithProgram({ process: program }: PipedChild, view: string | undefined): void {
  if (view === undefined) return;
  const endRest = (): void => void endView(view);
  if (program.exitCode !== null || program.signalCode !== null) endRest();
  else program.once("exit", endRest);
}

async function toldPid({ joins }: Launch, info: Readable): Promise<number | undefined> {
  const told = await readPid(info);
  return joins === undefined || told === undefined ? told : numberHere(told, joins);
}

/** The number of a process here, from its number in the namespace of another. */
async function numberHere(inner: number, companion: number): Promise<number | undefined> {
  const space = await readlink(`/proc/${companion}/ns/pid`).catch(() => undefined);
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if ((await readlink(`/proc/${pid}/ns/pid`).catch(() => "")) !== space) continue;
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    if (Number(/^NSpid:.*\s(\d+)$/m.exec(status)?.[1]) === inner) return Number(pid);
  }
  return undefined;
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

/** Everybody in the namespace of a process is who they are outside of it. */
async function letIn(pid: number, gate: Writable): Promise<void> {
  for (const map of ["uid_map", "gid_map"]) await writeFile(`/proc/${pid}/${map}`, "0 0 4294967295").catch(() => {});
  open(gate);
}

/** Lets a process go on that waits for a byte, or for more. */
function open(gate: Writable, words: string | Buffer = "x"): void {
  gate.on("error", () => {});
  gate.end(words);
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
