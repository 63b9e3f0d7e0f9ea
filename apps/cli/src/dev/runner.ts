/**
 * Runs the operator in a separate process and replaces it when its sources change; the old process runs until the new one is loaded. A
 * standby process has everything but the program loaded already, so that a reload is fast.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { createInterface } from "node:readline";
import { ownProgram } from "../place.ts";
import type { Again, FromChild, Go, Load } from "./messages.ts";

/** The callbacks of a runner. */
export interface RunnerEvents {
  /** A line of the operator's log or output. */
  readonly line: (line: string) => void;
  readonly loaded: (message: Extract<FromChild, { type: "loaded" }>, address: string) => void;
  /** Why the program failed to load or ended, and whether its previous version still runs. */
  readonly failed: (why: string, left: "former" | "nothing") => void;
  /** The operator works; the time since the reload in milliseconds. */
  readonly started: (milliseconds: number) => void;
}

/** The options of a runner. */
export interface RunnerOptions extends RunnerEvents {
  readonly cwd: string;
  readonly entry: string;
  readonly flags: readonly string[];
  /** Whether the API server surely reaches the operator. Default: false. */
  readonly isReachable?: boolean;
  /** The environment variables of the project, read at each reload. */
  readonly env?: () => Promise<{ readonly [name: string]: string }>;
  /** The port for a debugger, the same after each reload; undefined: none. */
  readonly inspect?: number | undefined;
  /** How long an operator may take to stop before it is killed, in milliseconds. */
  readonly patience?: number;
}

const childFile = ownProgram("dev/child/main");
/** Stopping in a dev session need not be graceful. */
const PATIENCE = 2_000;

/** The operator's process, and its successor. */
export class Runner implements AsyncDisposable {
  readonly #options: RunnerOptions;
  #current: ChildProcess | undefined;
  #standby: ChildProcess | undefined;
  #turn = 0;
  /** The processes with a reported failure. */
  readonly #told = new WeakSet<ChildProcess>();
  /** The processes that load the program, which has no time limit. */
  readonly #loading = new Set<ChildProcess>();

  constructor(options: RunnerOptions) {
    this.#options = options;
  }

  /**
   * Loads the program again; the old process is stopped when the new one is ready to start. With `packages`, packages are loaded again,
   * too.
   */
  async reload(what: "program" | "packages" = "program"): Promise<void> {
    const turn = ++this.#turn;
    // An unfinished load is obsolete and may never end, for example of a half-written program.
    for (const loading of this.#loading) loading.kill("SIGKILL");
    const began = performance.now();
    const address = `127.0.0.1:${await freePort()}`;
    if (turn !== this.#turn) return;
    const env = await this.#env();
    if (turn !== this.#turn || env === undefined) return;
    if (what === "packages") this.#dismiss();
    const child = this.#takeStandby();
    this.#read(child, began);
    child.once("exit", (code) => {
      if (this.#current === child) this.#fail(child, `the operator ended with exit code ${code ?? "none"}`);
    });
    child.send({ flags: [...this.#options.flags, `--health-probe-bind-address=${address}`], env } satisfies Load);
    this.#loading.add(child);
    const [message] = (await Promise.race([once(child, "message"), once(child, "exit").then(() => [undefined])])) as [
      FromChild | undefined,
    ];
    this.#loading.delete(child);
    if (turn !== this.#turn) return void child.kill("SIGKILL");
    if (message?.type !== "loaded") {
      this.#fail(child, message?.type === "failed" ? message.why : "the program ended while it was loaded");
      return;
    }
    const former = this.#current;
    this.#current = child;
    const seed = former === undefined ? [] : await succeed(former, this.#options.patience);
    this.#options.loaded(message, address);
    child.on("message", (later: FromChild) => {
      if (later.type === "failed") this.#fail(child, later.why);
    });
    const { isReachable = false, inspect } = this.#options;
    child.send({ seed, isReachable, inspect } satisfies Go);
  }

  /** The variables of the project; a file that cannot be read is a failure of the reload. */
  async #env(): Promise<Load["env"] | undefined> {
    try {
      return (await this.#options.env?.()) ?? {};
    } catch (error) {
      const isFormerLeft = this.#current !== undefined && isRunning(this.#current);
      this.#options.failed(
        `cannot read the environment of the project: ${error instanceof Error ? error.message : String(error)}`,
        isFormerLeft ? "former" : "nothing",
      );
      return undefined;
    }
  }

  /** Makes the operator reconcile an object again; does nothing if no operator runs. */
  again(what: Again): void {
    if (this.#current?.connected === true) this.#current.send(what);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#turn++;
    this.#dismiss();
    for (const loading of this.#loading) loading.kill("SIGKILL");
    const child = this.#current;
    this.#current = undefined;
    if (child !== undefined) await end(child, this.#options.patience);
  }

  /** Reports the failure of a process once; its exit afterwards is not reported. */
  #fail(child: ChildProcess, why: string): void {
    if (this.#told.has(child)) return;
    this.#told.add(child);
    const isFormerLeft = this.#current !== undefined && this.#current !== child && isRunning(this.#current);
    this.#options.failed(why, isFormerLeft ? "former" : "nothing");
  }

  /** The standby process, or a new one if there is none. */
  #takeStandby(): ChildProcess {
    const standby = this.#standby;
    this.#standby = undefined;
    return standby === undefined || standby.exitCode !== null || !standby.connected ? this.#fork() : standby;
  }

  /** The next standby process starts only now, so that it does not slow down the start. */
  #onStarted(child: ChildProcess, began: number): void {
    this.#options.started(performance.now() - began);
    if (this.#current === child) this.#standby ??= this.#fork();
  }

  #fork(): ChildProcess {
    const { cwd, entry } = this.#options;
    return fork(childFile, [entry], { cwd, stdio: ["ignore", "pipe", "pipe", "ipc"] });
  }

  #dismiss(): void {
    this.#standby?.kill("SIGKILL");
    this.#standby = undefined;
  }

  #read(child: ChildProcess, began: number): void {
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on("line", (line) => {
        if (line.includes('"message":"started"')) this.#onStarted(child, began);
        this.#options.line(line);
      });
    }
  }
}

/** Stops an operator and receives its caches, if it sends them in time. */
async function succeed(former: ChildProcess, patience?: number): Promise<Go["seed"]> {
  let known: Go["seed"] = [];
  former.on("message", (message: FromChild) => {
    if (message.type === "stopping") known = message.known;
  });
  await end(former, patience);
  return known;
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null;
}

async function end(child: ChildProcess, patience = PATIENCE): Promise<void> {
  if (!isRunning(child)) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const timer = setTimeout(() => child.kill("SIGKILL"), patience);
  await gone;
  clearTimeout(timer);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  return typeof address === "object" && address !== null ? address.port : 0;
}
