/** An embedded cluster as a user starts it: `capstan cluster start` in a separate process, with separate folders. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { createClient, loadConfig, processHost, type Client } from "@capstan/client";

const program = [
  "--conditions=@capstan/source",
  "--disable-warning=ExperimentalWarning",
  join(import.meta.dirname, "../../apps/cli/src/main.ts"),
];

/** The outcome of a command. */
export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** The home of a user with clusters. */
export interface Home extends AsyncDisposable {
  readonly folder: string;
  /** Runs a capstan command to its end. */
  capstan(words: readonly string[]): Promise<Ran>;
  /** Starts a cluster in the foreground of a separate process, and waits until it is ready. */
  start(options?: { readonly words?: readonly string[] }): Promise<RunningCluster>;
}

/** A cluster and its process. */
export interface RunningCluster extends AsyncDisposable {
  readonly pid: number;
  readonly kubeconfig: string;
  readonly client: Client;
  /** The exit of its process. */
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
  /** The output so far. */
  said(): string;
  /** Kills it, like a power loss. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const patience = 180_000;

/** Creates a home; everything that was started from it ends with it. */
export async function openHome(): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), "home-"));
  const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, "s"), XDG_DATA_HOME: join(folder, "d") };
  const running = new Set<ChildProcess>();
  await mkdir(join(folder, "s"), { recursive: true });
  return {
    folder,
    capstan: (words) => runToEnd(spawn(process.execPath, [...program, ...words], { env, cwd: folder })),
    async start({ words = [] } = {}) {
      const kubeconfig = join(folder, "kubeconfig");
      await rm(kubeconfig, { force: true });
      const all = [...program, "cluster", "start", "--foreground", "--kubeconfig-out", kubeconfig, ...words];
      const child = spawn(process.execPath, all, { env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
      running.add(child);
      return watchOver(child, kubeconfig);
    },
    async [Symbol.asyncDispose]() {
      for (const child of running) await kill(child, "SIGKILL");
      await rm(folder, { recursive: true, force: true, maxRetries: 10 });
    },
  };
}

async function watchOver(child: ChildProcess, kubeconfig: string): Promise<RunningCluster> {
  let said = "";
  child.stdout?.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (said += chunk.toString("utf8")));
  const ended = new Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>((resolve) =>
    child.once("close", (code, signal) => resolve({ code, signal })),
  );
  const end = performance.now() + patience;
  while (!said.includes("is ready on") || !existsSync(kubeconfig)) {
    if (child.exitCode !== null || performance.now() > end) throw new Error(`the cluster did not start: ${said}`);
    await wait(20);
  }
  const client = createClient(await loadConfig(processHost(), { kubeconfig }));
  const stop = async (signal: NodeJS.Signals): Promise<void> => {
    await client.close();
    await kill(child, signal);
  };
  return {
    pid: child.pid ?? 0,
    kubeconfig,
    client,
    ended,
    said: () => said,
    kill: () => stop("SIGKILL"),
    stop: () => stop("SIGTERM"),
    [Symbol.asyncDispose]: () => stop("SIGTERM"),
  };
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = once(child, "exit");
  child.kill(signal);
  await gone;
}

async function runToEnd(child: ChildProcess): Promise<Ran> {
  let out = "";
  let err = "";
  child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString("utf8")));
  child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString("utf8")));
  const [code] = (await once(child, "close")) as [number | null];
  return { code, out, err };
}
