/**
 * Waiting times of developers: from an empty folder to the first reconcile, and from a saved file to the first reconcile of the new code.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import { ConfigMap } from "@capstan/kinds/v1";
import { Figures, type Found } from "./result.ts";

const command = resolve("apps/cli/dist/main.js");
const reloads = 5;
/** The pause of a developer between two saves. */
const THOUGHT = 3_000;

/** The built command in projects that it creates itself, several times. */
export async function benchDev(rounds: number): Promise<Found> {
  const figures = new Figures("dev");
  for (let round = 0; round < rounds; round++) {
    const folder = mkdtempSync(join(tmpdir(), "capstan-bench-dev-"));
    try {
      await measureIn(folder, figures);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  return { rows: figures.rows() };
}

async function measureIn(folder: string, figures: Figures): Promise<void> {
  const began = performance.now();
  const words = ["init", "greeter", "--group", "demo", "--kind", "Greeting", "--capstan", resolve(".")];
  execFileSync(process.execPath, [command, ...words], { cwd: folder, stdio: "ignore" });
  const project = join(folder, "greeter");
  writeFileSync(join(project, "src/greeting.ts"), source("turn-0"));
  writeFileSync(join(project, "samples/greeting.yaml"), sample);
  await using session = await startSession(project);
  const { client } = session;
  await textBecomes(client, "turn-0");
  figures.add("capstan", "empty folder to first reconcile", "s", (performance.now() - began) / 1000);
  for (let turn = 1; turn <= reloads; turn++) {
    await wait(THOUGHT);
    const text = `turn-${turn}`;
    const seen = textBecomes(client, text);
    const saved = performance.now();
    writeFileSync(join(project, "src/greeting.ts"), source(text));
    await seen;
    figures.add("capstan", "saved file to first reconcile of the new code", "ms", performance.now() - saved);
  }
}

const sample = `apiVersion: demo.example.com/v1alpha1
kind: Greeting
metadata: { name: hello }
spec: { to: everybody }
`;

/** A controller that reports which version of it ran. */
function source(text: string): string {
  return `import { controller, defineResource, s } from "capstan";
import { ConfigMap } from "capstan/kinds/v1";

export const Greeting = defineResource({
  group: "demo.example.com",
  version: "v1alpha1",
  kind: "Greeting",
  spec: s.object({ to: s.string().default("you") }),
});

export const greeting = controller(Greeting, { owns: [ConfigMap] }, async ({ object, apply }) => {
  await apply(ConfigMap, object.metadata.name, { data: { text: ${JSON.stringify(text)} } });
});
`;
}

/** `capstan dev` as its users start it, and a client of its cluster. */
async function startSession(project: string): Promise<AsyncDisposable & { readonly client: Client }> {
  const child = spawn(process.execPath, [command, "dev", "--apply", "samples/greeting.yaml"], {
    cwd: project,
    stdio: ["ignore", "pipe", "inherit"],
  });
  child.stdout.resume();
  const kubeconfig = join(project, ".capstan/kubeconfig");
  while (!existsSync(kubeconfig) || readFileSync(kubeconfig, "utf8") === "") {
    if (child.exitCode !== null) throw new RangeError("capstan dev ended before it had a cluster");
    await wait(5);
  }
  const client = createClient(await loadConfig(processHost(), { kubeconfig }));
  return {
    client,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      child.kill("SIGTERM");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

async function textBecomes(client: Client, text: string): Promise<void> {
  const signal = AbortSignal.timeout(120_000);
  for await (const event of client.watch(ConfigMap, { namespace: "default", sendInitialEvents: true, signal })) {
    if (event.type !== "ERROR" && "data" in event.object && event.object.data?.["text"] === text) return;
  }
  throw new RangeError(`the watch ended before ${text} was seen`);
}
