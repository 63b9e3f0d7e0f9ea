/** The same controller in Capstan and in other frameworks, on one real kube-apiserver, in one run: CPU, writes, memory, latency. */
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import { ConfigMap, Namespace } from "@capstan/kinds/v1";
import { useKubernetes } from "@capstan/kubernetes";
import { apiOf, installCrds, systemClock } from "@capstan/runtime";
import { type Peer, preparePeers } from "./runtime/peers.ts";
import { MeasuredProcess } from "./runtime/process.ts";
import { Widget, widget } from "./runtime/widget.ts";

interface Figures {
  readonly [figure: string]: number;
}

interface World {
  readonly client: Client;
  readonly kubeconfig: string;
  readonly objects: number;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      peers: { type: "string", default: "capstan,controller-runtime,client-node" },
      objects: { type: "string", default: "2000" },
      rounds: { type: "string", default: "3" },
    },
  });
  execFileSync("node_modules/.bin/tsc", ["--build", "tsconfig.build.json"], { stdio: "inherit" });
  const peers = preparePeers(values.peers.split(","));
  await using cluster = await useKubernetes({ after: () => {} }, { own: true });
  await using client = createClient(await loadConfig(processHost(), { kubeconfig: cluster.kubeconfig }));
  await installCrds([widget], { api: apiOf(client), clock: systemClock, manager: "bench" });
  const world = { client, kubeconfig: cluster.kubeconfig, objects: Number(values.objects) };
  const figures = new Map<string, Figures[]>();
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const peer of peers) {
      const found = await measure(peer, world, `bench-${round}-${peer.name}`);
      figures.set(peer.name, [...(figures.get(peer.name) ?? []), found]);
      const told = Object.entries(found).map(([name, value]) => `${name} ${value.toFixed(2)}`);
      console.log(`${peer.name} ${round + 1}: ${told.join(", ")}`);
    }
  }
  table(figures);
}

/** One peer, one round: a burst, a restart with nothing to do, the latency of single changes, a churn. */
async function measure(peer: Peer, world: World, namespace: string): Promise<Figures> {
  const { client, objects } = world;
  await client.create(Namespace, { metadata: { name: namespace } });
  await inParallel(objects, (at) =>
    client.create(Widget, { metadata: { name: `w${at}`, namespace }, spec: { size: at + 1 } }),
  );
  const before = await revision(client);
  const burst = await burstOf(peer, world, namespace, before);
  const restart = await restartOf(peer, world);
  await client.deleteCollection(Widget, { namespace });
  await client.deleteCollection(ConfigMap, { namespace });
  await until(async () => (await client.list(ConfigMap, { namespace }).all()).items.length === 1);
  return { ...burst, ...restart };
}

async function burstOf({ command }: Peer, world: World, namespace: string, before: number): Promise<Figures> {
  await using operator = new MeasuredProcess(command, { KUBECONFIG: world.kubeconfig });
  const began = performance.now();
  await until(async () => (await done(world, namespace)) > 0);
  const first = performance.now() - began;
  await until(async () => (await done(world, namespace)) === world.objects);
  const { cpuSeconds, peakMiB } = operator.cost();
  const writes = (await revision(world.client)) - before;
  const changes = await changesOf(world, namespace);
  const after = operator.cost();
  return {
    "burst CPU ms per object": (cpuSeconds * 1000) / world.objects,
    "burst writes per object": writes / world.objects,
    "burst peak MiB": peakMiB,
    "cold start to first status s": first / 1000,
    ...changes,
    "change CPU ms": ((after.cpuSeconds - cpuSeconds) * 1000) / singleChanges,
  };
}

const singleChanges = 50;

/** Changes one object after the other and waits for its status each time. */
async function changesOf({ client }: World, namespace: string): Promise<Figures> {
  const waits: number[] = [];
  for (let at = 0; at < singleChanges; at++) {
    const name = `w${at}`;
    const size = 100_000 + at;
    const { metadata } = await client.patch(Widget, { name, namespace }, { merge: { spec: { size } } });
    const began = performance.now();
    const { resourceVersion } = metadata;
    for await (const event of client.watch(Widget, {
      namespace,
      fieldSelector: `metadata.name=${name}`,
      resourceVersion,
    })) {
      if ((event.type === "ADDED" || event.type === "MODIFIED") && event.object.status?.size === size) break;
    }
    waits.push(performance.now() - began);
  }
  return { "one change, p50 ms to status": waits.sort((a, b) => a - b)[Math.floor(waits.length / 2)] ?? 0 };
}

async function restartOf({ command }: Peer, { client, kubeconfig }: World): Promise<Figures> {
  const before = await revision(client);
  await using operator = new MeasuredProcess(command, { KUBECONFIG: kubeconfig });
  let last = -1;
  // Quiet means no CPU worth naming for a second: the operator has looked at everything and found nothing to do.
  await until(async () => {
    await sleep(1000);
    const { cpuSeconds } = operator.cost();
    const quiet = cpuSeconds - last < 0.02 && cpuSeconds > 0.05;
    last = cpuSeconds;
    return quiet;
  });
  return { "restart CPU s": operator.cost().cpuSeconds, "restart writes": (await revision(client)) - before };
}

/** How many widgets have the status that their spec asks for. */
async function done({ client }: World, namespace: string): Promise<number> {
  const { items } = await client.list(Widget, { namespace }).all();
  return items.filter(({ spec, status }) => status?.size === spec.size).length;
}

/** etcd counts every write, so the difference of two revisions is how many there were. */
async function revision(client: Client): Promise<number> {
  for await (const page of client.list(Namespace, { limit: 1 }).pages()) return Number(page.metadata.resourceVersion);
  return 0;
}

async function inParallel(count: number, run: (at: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: 16 }, async () => {
      for (let at = next++; at < count; at = next++) await run(at);
    }),
  );
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(100);
}

function table(figures: ReadonlyMap<string, readonly Figures[]>): void {
  const names = Object.keys([...figures.values()][0]?.[0] ?? {});
  const median = (rounds: readonly Figures[], name: string): number =>
    rounds.map((round) => round[name] ?? 0).sort((a, b) => a - b)[Math.floor(rounds.length / 2)] ?? 0;
  const base = figures.get("controller-runtime");
  console.log(`\n| | ${[...figures.keys()].join(" | ")} | capstan / controller-runtime |`);
  console.log(`|---|${[...figures.keys()].map(() => "---|").join("")}---|`);
  for (const name of names) {
    const row = [...figures.values()].map((rounds) => median(rounds, name));
    const own = figures.get("capstan");
    const ratio = own && base ? (median(own, name) / median(base, name)).toFixed(2) : "";
    console.log(`| ${name} | ${row.map((value) => value.toFixed(2)).join(" | ")} | ${ratio} |`);
  }
}

await main();
