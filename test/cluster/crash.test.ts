import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as wait } from "node:timers/promises";
import { ConnectionError, type Client } from "@capstan/client";
import { StatefulSet } from "@capstan/kinds/apps/v1";
import { ConfigMap, Pod } from "@capstan/kinds/v1";
import { buildTestImages } from "@capstan/kubernetes";
import { inspectMachine } from "@capstan/node";
import { openHome, type Home } from "./embedded.ts";
import { familyOf, placesLeft, placesOf, survivors } from "./traces.ts";
import { until } from "./until.ts";

const rounds = Number(process.env["CAPSTAN_CRASH_ROUNDS"] ?? "4");
const { canRunPods } = await inspectMachine(process);
const skip = canRunPods || process.env["CI"] === "true" ? false : "this machine cannot run real pods";
const namespace = "default";

test(
  `a cluster killed ${rounds} times loses no acknowledged write and leaves no trace`,
  { skip, timeout: rounds * 240_000 },
  async () => {
    await using home = await openHome();
    for (const { archive } of await buildTestImages({ only: ["busybox"] }))
      assert.equal((await home.capstan(["cluster", "load-image", archive])).code, 0);
    const seed = Number(process.env["CAPSTAN_CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31));
    const random = randomFrom(seed);
    const acknowledged: string[] = [];
    for (let round = 0; round < rounds; round++) {
      await crashOnce(home, { round, delay: random() * 3000, acknowledged }).catch((cause: unknown) => {
        throw new Error(`round ${round} with seed ${seed}`, { cause });
      });
    }
    assert.ok(acknowledged.length > 0, "there were writes to be lost");
    await checkSurvival(home, acknowledged);
  },
);

interface Round {
  readonly round: number;
  readonly delay: number;
  readonly acknowledged: string[];
}

async function crashOnce(home: Home, { round, delay, acknowledged }: Round): Promise<void> {
  const data = join(home.folder, "data");
  const cluster = await home.start({ words: ["--data", data, "--pods", "real"] });
  if (round === 0) await cluster.client.apply(StatefulSet, disks, { fieldManager: "test" });
  // The first round waits until the pods are ready: only what exists can be lost.
  if (round === 0) await untilReady(cluster.client);
  const writing = writeUntilGone(cluster.client, round, acknowledged);
  await wait(delay);
  const family = familyOf(cluster.pid);
  const places = placesOf(family);
  assert.ok(family.some(({ command }) => command === "unshare"));
  assert.ok(places.namespaces.length >= 4, "it has namespaces of its own");
  await cluster.kill();
  await writing;
  await until("its processes are gone", () => survivors(family).length === 0).catch(() =>
    assert.deepEqual(survivors(family), []),
  );
  const isGone = (): boolean => Object.values(placesLeft(places)).flat().length === 0;
  await until("its places are gone", isGone).catch(() => assert.deepEqual(placesLeft(places), nothing));
}

const nothing = { namespaces: [], groups: [] };

async function checkSurvival(home: Home, acknowledged: readonly string[]): Promise<void> {
  await using cluster = await home.start({ words: ["--data", join(home.folder, "data"), "--pods", "real"] });
  const { client } = cluster;
  const { items } = await client.list(ConfigMap, { namespace }).all();
  const there = new Set(items.map(({ metadata }) => metadata.name));
  assert.deepEqual(
    acknowledged.filter((name) => !there.has(name)),
    [],
  );
  await untilReady(client);
  await until("the first member has found what it wrote before", async () => {
    // A pod that does not run yet may have no log.
    const log = await client
      .logs({ namespace, name: "disk-0" })
      .text()
      .catch(() => "");
    return Number(/starts: (\d+)/.exec(log)?.[1]) >= 2;
  });
  await until("its second start is told", async () => {
    const { status } = await client.get(Pod, { namespace, name: "disk-0" });
    return (status?.containerStatuses?.[0]?.restartCount ?? 0) >= 1;
  });
}

async function untilReady(client: Client): Promise<void> {
  await until("both members run", async () => {
    const { status } = await client.get(StatefulSet, { namespace, name: "disk" });
    return status?.readyReplicas === 2;
  });
}

/** Writes as fast as possible and records what was acknowledged; ends when the server is gone. */
async function writeUntilGone(client: Client, round: number, acknowledged: string[]): Promise<void> {
  for (let index = 0; ; index++) {
    const name = `write-${round}-${index}`;
    try {
      await client.create(ConfigMap, { metadata: { name, namespace } }, { signal: AbortSignal.timeout(10_000) });
      acknowledged.push(name);
    } catch (error) {
      if (error instanceof ConnectionError || (error instanceof DOMException && error.name === "TimeoutError")) return;
      throw error;
    }
  }
}

const labels = { app: "disk" };
const count = "echo x >> /data/starts; echo starts: $(wc -l < /data/starts); exec sleep 100000";
const disks = {
  metadata: { name: "disk", namespace },
  spec: {
    replicas: 2,
    serviceName: "disk",
    podManagementPolicy: "Parallel" as const,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            name: "main",
            image: "capstan.test/busybox:1",
            command: ["sh", "-c", count],
            volumeMounts: [{ name: "data", mountPath: "/data" }],
          },
        ],
      },
    },
    volumeClaimTemplates: [
      {
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce" as const], resources: { requests: { storage: "1Mi" } } },
      },
    ],
  },
};

/** Random numbers in [0, 1) from a seed. */
function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  };
}

test("a cluster that loses its namespaces exits with a message", { skip, timeout: 600_000 }, async () => {
  await using home = await openHome();
  await using cluster = await home.start({ words: ["--pods", "real"] });
  const shim = familyOf(cluster.pid).find(({ command }) => command === "unshare");
  assert.ok(shim);
  process.kill(shim.pid, "SIGKILL");
  assert.deepEqual(await cluster.ended, { code: 6, signal: null });
  assert.match(
    cluster.said(),
    /has ended, because the process that holds its network and its pods did; start it again/,
  );
  assert.doesNotMatch((await home.capstan(["cluster", "list"])).out, /real/);
});
