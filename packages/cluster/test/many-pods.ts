/** Many simulated pods in virtual time, some of which fail. As a program, `many-pods.ts 10000` prints what they cost. */
import assert from "node:assert/strict";
import type { Client } from "@capstan/client";
import { startCluster } from "@capstan/cluster";
import { Deployment } from "@capstan/kinds/apps/v1";
import { Pod } from "@capstan/kinds/v1";
import type { Rule } from "@capstan/node";
import { VirtualClock } from "@capstan/runtime/testing";

type Status = NonNullable<Deployment["status"]>;

interface Crowd {
  readonly client: Client;
  readonly clock: VirtualClock;
  readonly pods: number;
  readonly nodes: number;
}

const target = { namespace: "default", name: "many" };

/** What happens to containers on the first nodes; on all others nothing happens. */
const scripts: readonly Rule[] = [
  { end: { type: "exit", code: 3, after: 500, times: 1 } },
  { end: { type: "oom", after: 500, times: 2 } },
  { readyDelay: 20_000 },
  { pullDelay: 5_000, startDelay: 5_000 },
];

/** A Deployment with this many pods becomes available, all containers of a node crash, and it becomes available again. */
export async function tryManyPods(pods: number, tell: (line: string) => void): Promise<void> {
  const clock = new VirtualClock();
  const nodes = Math.max(5, Math.ceil(pods / 250));
  // The capacity is so small that no node can stay empty.
  const capacity = { cpu: "64", memory: "256Gi", pods: `${Math.ceil(pods / nodes) + 1}` };
  await using cluster = await startCluster({ clock, heartbeat: false, nodes, capacity });
  for (const [index, rule] of scripts.entries()) cluster.nodes[index]?.runtime.setScript([rule]);
  const crowd: Crowd = { client: cluster.client, clock, pods, nodes };
  await cluster.client.create(Deployment, many(pods));
  await untilAvailable(crowd, (available) => available === pods);
  tell(`${pods} available after ${clock.now() / 1000} s of virtual time, ${costs()}`);
  const found = await endings(crowd);
  assert.deepEqual(found.slice(0, scripts.length), [["1 Error 3"], ["2 OOMKilled 137"], ["0"], ["0"]]);
  assert.deepEqual(new Set(found.slice(scripts.length).flat()), new Set(["0"]));

  const crashed = cluster.nodes.at(-1)?.runtime.crash({}) ?? 0;
  assert.notEqual(crashed, 0);
  await untilAvailable(crowd, (available) => available < pods);
  await untilAvailable(crowd, (available) => available === pods);
  assert.deepEqual((await endings(crowd)).at(-1), ["1 Error 1"]);
  tell(`${crashed} crashed at once and available again, ${costs()}`);
}

/** A pod becomes available after being ready for longer than any scripted end takes, so that nothing more happens. */
function many(pods: number) {
  const labels = { app: "many" };
  const readinessProbe = { exec: { command: ["x"] }, periodSeconds: 10 };
  const spec = { containers: [{ name: "main", image: "x", readinessProbe }] };
  const wanted = { replicas: pods, minReadySeconds: 5, selector: { matchLabels: labels } };
  return { metadata: target, spec: { ...wanted, template: { metadata: { labels }, spec } } };
}

/** An hour of virtual time is more than enough; it passes at once when nothing happens. */
async function untilAvailable({ client, clock }: Crowd, isReached: (available: number) => boolean): Promise<void> {
  const end = clock.now() + 3_600_000;
  for (;;) {
    const status: Status = (await client.get(Deployment, target)).status ?? {};
    if (isReached(status.availableReplicas ?? 0)) return;
    assert.ok(clock.now() < end, `not reached in an hour: ${JSON.stringify(status)}`);
    await clock.advance(1000);
  }
}

/** For each node, the restarts and last terminations of its containers. */
async function endings({ client, pods, nodes }: Crowd): Promise<readonly (readonly string[])[]> {
  const byNode = new Map<string, Set<string>>();
  const addresses = new Set<string>();
  for (const { spec, status } of (await client.list(Pod, { namespace: "default" }).all()).items) {
    const [container] = status?.containerStatuses ?? [];
    const { reason, exitCode } = container?.lastState?.terminated ?? {};
    const ending = [container?.restartCount, reason, exitCode].filter((part) => part !== undefined).join(" ");
    const { nodeName = "" } = spec ?? {};
    byNode.set(nodeName, (byNode.get(nodeName) ?? new Set()).add(ending));
    addresses.add(status?.podIP ?? "");
  }
  assert.equal(addresses.size, pods);
  return Array.from({ length: nodes }, (_, index) => [...(byNode.get(`node-${index + 1}`) ?? [])]);
}

function costs(): string {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  return `${((userCPUTime + systemCPUTime) / 1e6).toFixed(1)} s of CPU, ${Math.round(maxRSS / 1024)} MiB at most`;
}

if (import.meta.main) await tryManyPods(Number(process.argv[2] ?? "1000"), (line) => process.stdout.write(`${line}\n`));
