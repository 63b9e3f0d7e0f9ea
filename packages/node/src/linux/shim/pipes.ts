/**
 * Real pipes for the programs in containers: Node gives a child sockets, which cannot be opened again by name, as programs do that write
 * to `/dev/stdout`.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import type { Readable, Writable } from "node:stream";
import { makeFolders } from "../make-folders.ts";

/** A child with pipes as output and input. */
export interface PipedChild {
  readonly process: ChildProcess;
  readonly stdin: Writable | null;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves when it has ended and all its output was read. */
  readonly closed: Promise<HowEnded>;
}

/** How a child ended; `failure` is set if it could not be started. */
export interface HowEnded {
  readonly code: number | null;
  readonly signal: string | null;
  readonly failure?: Error;
}

export interface PipedLaunch {
  readonly argv: readonly string[];
  readonly stdin: boolean;
  /** Additional environment variables. */
  readonly variables?: Readonly<Record<string, string>>;
  /** How many more channels there are, and which of them are needed. */
  readonly channels?: readonly boolean[];
}

/** A tmpfs that only the node sees. */
const folder = "/mnt/pipes";
let serial = 0;
/** The environment of the node's own programs contains nothing from outside, because variables can make a program load libraries. */
const surroundings = { PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };

export async function spawnPiped({ argv, stdin, variables, channels = [] }: PipedLaunch): Promise<PipedChild> {
  const paths = await takePipes(stdin ? 3 : 2);
  const [out, err, input] = paths;
  const [stdout, stderr] = [openOutput(out), openOutput(err)];
  const hearing = input === undefined ? undefined : openInput(input);
  for (const path of paths) unlinkSync(path);
  const [program = "", ...args] = argv;
  const more = channels.map((isWanted) => (isWanted ? ("pipe" as const) : ("ignore" as const)));
  const ends = [hearing?.end ?? "ignore", stdout.end, stderr.end] as const;
  let child: ChildProcess;
  try {
    // An own session: a signal of the program to its process group must not reach the node.
    const own = { env: { ...surroundings, ...variables }, detached: true };
    child = spawn(program, args, { ...own, stdio: [...ends, ...more] });
  } catch (error) {
    for (const { stream } of [stdout, stderr, ...(hearing === undefined ? [] : [hearing])]) stream.destroy();
    throw error;
  } finally {
    for (const end of ends) if (typeof end === "number") closeSync(end);
  }
  // Not before the program that waited for its pipes has been started.
  void makeSpares();
  const ended = new Promise<HowEnded>((resolve) => {
    child.once("exit", (code, signal) => resolve({ code, signal }));
    child.once("error", (failure) => resolve({ code: 127, signal: null, failure }));
  });
  const drained = Promise.all([stdout.stream, stderr.stream].map(untilEnd));
  return {
    process: child,
    stdin: hearing?.stream ?? null,
    stdout: stdout.stream,
    stderr: stderr.stream,
    closed: ended.then(async (how) => (await drained, hearing?.stream.destroy(), how)),
  };
}

function untilEnd(stream: Readable): Promise<void> {
  return new Promise((resolve) => stream.once("close", resolve));
}

/** Spare pipes for the next program: making them needs a process, which no start has to wait for then. */
const spares: string[] = [];
const fewSpares = 3;
const manySpares = 12;
let isMaking = false;

async function takePipes(count: number): Promise<readonly string[]> {
  return spares.length < count ? makePipes(count) : spares.splice(0, count);
}

async function makeSpares(): Promise<void> {
  if (isMaking || spares.length >= fewSpares) return;
  isMaking = true;
  const made = await makePipes(manySpares).catch(() => []);
  spares.push(...made);
  isMaking = false;
}

async function makePipes(count: number): Promise<readonly string[]> {
  makeFolders(folder);
  const paths = Array.from({ length: count }, () => `${folder}/${serial++}`);
  await new Promise<void>((resolve, reject) => {
    const child = spawn("mkfifo", ["-m", "666", ...paths], { stdio: "ignore" });
    child.once("error", reject);
    child.once("close", (code) => (code === 0 ? resolve() : reject(new Error("no pipes could be made"))));
  });
  return paths;
}

interface End<T> {
  readonly stream: T;
  /** The child's end. */
  readonly end: number;
}

/** The child's end blocks when the pipe is full; ours never does. */
function openOutput(path = ""): End<Readable> {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  return { end: openSync(path, constants.O_WRONLY), stream: new Socket({ fd, readable: true, writable: false }) };
}

/** Opened for reading and writing, because a pipe without a reader cannot be opened for writing. */
function openInput(path: string): End<Writable> {
  const fd = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
  const stream = new Socket({ fd, readable: false, writable: true });
  stream.on("error", () => {});
  return { end: openSync(path, constants.O_RDONLY), stream };
}
