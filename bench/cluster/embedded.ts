/** An embedded cluster as a user starts it: the built command in a separate process, with images that are already unpacked. */
import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import { buildTestImages } from "@capstan/kubernetes";

/** With the options of `npm run capstan`, which the command also passes to a cluster in the background. */
const program = [
  process.execPath,
  "--disable-warning=ExperimentalWarning",
  "--max-semi-space-size=1",
  "apps/cli/dist/main.js",
];

/** The folders of a user's clusters. */
export interface Home extends Disposable {
  start(): Promise<EmbeddedCluster>;
}

/** A running cluster. */
export interface EmbeddedCluster extends AsyncDisposable {
  readonly pid: number;
  readonly client: Client;
  /** The command line that runs a program in the cluster's network. */
  inside(argv: readonly string[]): readonly string[];
}

/** A home with these test images, whose files stay unpacked once a pod has used them. */
export async function openHome(images: readonly string[]): Promise<Home> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  const env = { ...process.env, HOME: folder, XDG_STATE_HOME: join(folder, "s"), XDG_DATA_HOME: join(folder, "d") };
  const archives = (await buildTestImages({ only: images })).map(({ archive }) => archive);
  const [command = "", ...words] = [...program, "cluster", "load-image", ...archives];
  execFileSync(command, words, { env });
  return {
    start: () => startEmbedded(folder, env),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }),
  };
}

async function startEmbedded(folder: string, env: NodeJS.ProcessEnv): Promise<EmbeddedCluster> {
  const kubeconfig = join(folder, "kubeconfig");
  rmSync(kubeconfig, { force: true });
  const words = ["cluster", "start", "--foreground", "--pods", "real", "--kubeconfig-out", kubeconfig];
  const [command = "", ...all] = [...program, ...words];
  const child = spawn(command, all, { env, stdio: ["ignore", "ignore", "inherit"] });
  while (!existsSync(kubeconfig)) {
    if (child.exitCode !== null) throw new RangeError("the cluster did not start; see above");
    await wait(5);
  }
  const client = createClient(await loadConfig(processHost(), { kubeconfig }));
  const places = [`XDG_STATE_HOME=${env["XDG_STATE_HOME"]}`, `XDG_DATA_HOME=${env["XDG_DATA_HOME"]}`];
  return {
    pid: child.pid ?? 0,
    client,
    inside: (argv) => ["env", ...places, ...program, "cluster", "exec", "--", ...argv],
    async [Symbol.asyncDispose]() {
      await client.close();
      await end(child);
    },
  };
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await gone;
}
