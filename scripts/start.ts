/** `npm start`: the embedded cluster, the memcached operator on it, and a Memcached that becomes Available before your eyes. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { WatchEvent } from "@capstan/client";
import type { ObjectOf } from "@capstan/model";
import { apiOf, installCrds, silentLog, systemClock } from "@capstan/runtime";
import { Pod } from "@capstan/kinds/v1";
import { inspectMachine } from "@capstan/node";
import { openStore, type Store } from "@capstan/oci";
import { type Cluster, userImageFolder, type RealCluster, startCluster } from "@capstan/cluster";
import { app, Memcached } from "@capstan/example-memcached";
import { describeMemcached } from "./start/progress.ts";
import { describeSituation, findSituation } from "./start/situation.ts";

const stay = process.stdout.isTTY;
const began = performance.now();
const since = (): string => `${((performance.now() - began) / 1000).toFixed(1).padStart(5)} s`;
const say = (line: string): void => console.log(`${since()}  ${line}`);

async function main(): Promise<void> {
  // Installed first: an early stop leaves nothing behind either. A second signal ends the process at once.
  const interruption = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.once(signal, () => interruption.abort());
  const store = await openImages();
  const wanted = { image: "memcached:1.6", program: "memcached" };
  const situation = await findSituation(wanted, {
    machine: process,
    inspect: inspectMachine,
    env: process.env,
    store,
    fetch,
  });
  const isReal = situation.pods === "real" && store !== undefined;
  await using cluster = await (isReal
    ? startCluster({ port: 0, pods: "real", images: store })
    : startCluster({ port: 0 }));
  using folder = temporaryFolder();
  const kubeconfig = join(folder.path, "kubeconfig");
  writeFileSync(kubeconfig, cluster.kubeconfig ?? "", { mode: 0o600 });
  say(`the embedded cluster is up; ${describeSituation(situation, wanted)}`);

  const api = apiOf(cluster.client);
  await installCrds(app.definition.controllers, { api, clock: systemClock, manager: "capstan" });
  await using _operator = app.start({ api, log: silentLog });
  say("the memcached operator runs (examples/memcached/main.ts)");

  await untilInterrupted(interruption.signal, async () => {
    await demonstrate(cluster, interruption.signal);
    console.log(`
${stay ? "Look around" : "This is no terminal, so the cluster ends here. In a terminal it stays, and you can look around"}:
  export KUBECONFIG=${kubeconfig}
  kubectl get memcacheds,deployments,pods
  kubectl patch memcached cache --type merge -p '{"spec":{"size":5}}'
  kubectl explain memcached.spec`);
    if (!stay) return;
    console.log("\nThe cluster runs until you press Ctrl-C.");
    await once(interruption.signal, "abort");
  });
}

/** Creates a Memcached, shows its progress, and queries one of its servers. */
async function demonstrate(cluster: RealCluster | Cluster, signal: AbortSignal): Promise<void> {
  await cluster.client.apply(
    Memcached,
    { metadata: { name: "cache", namespace: "default" }, spec: { size: 3 } },
    { fieldManager: "you", force: true },
  );
  say("you asked for a Memcached of size 3");
  await showUntilAvailable(
    cluster.client.watch(Memcached, { namespace: "default", fieldSelector: "metadata.name=cache" }),
  );
  if (!("network" in cluster)) return;
  say(`one of its servers was asked over the network and says: ${await askVersion(cluster, signal)}`);
}

/** Resolves when the work is done or interrupted; the owner of each resource ends it. */
async function untilInterrupted(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  if (signal.aborted) return;
  await Promise.race([work(), once(signal, "abort")]);
}

/** A folder that is removed when it is disposed. */
function temporaryFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "capstan-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The images of this user; undefined without a folder for them. */
async function openImages(): Promise<Store | undefined> {
  const folder = userImageFolder(process.env);
  return folder === undefined ? undefined : openStore(folder).catch(() => undefined);
}

/** Speaks memcached's protocol with the first pod. */
async function askVersion({ client, network }: RealCluster, signal: AbortSignal): Promise<string> {
  const pods = await client.list(Pod, { namespace: "default", labelSelector: "cache.example.com/name=cache" }).all();
  const socket = await dialSoon(() => network.dial(pods.items[0]?.status?.podIP ?? "", 11_211), signal);
  socket.write("version\r\n");
  const [answer] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return answer.toString("utf8").trim();
}

/** A program that has started may need a moment until it listens. */
async function dialSoon(dial: () => Promise<Socket>, signal: AbortSignal): Promise<Socket> {
  for (let tries = 1; ; tries++) {
    try {
      return await dial();
    } catch (error) {
      if (tries === 600) throw error;
      await wait(100, undefined, { signal });
    }
  }
}

/** Prints each state of the object once, until it is Available. */
async function showUntilAvailable(events: AsyncIterable<WatchEvent<ObjectOf<typeof Memcached>>>): Promise<void> {
  let last = "";
  for await (const event of events) {
    if (event.type === "ERROR") throw event.error;
    if (event.type === "BOOKMARK") continue;
    const { line, available } = describeMemcached(event.object);
    if (line !== last) say(line);
    last = line;
    if (available) return;
  }
}

await main();
