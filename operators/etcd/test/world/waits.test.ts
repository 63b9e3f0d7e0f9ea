/** No obstacle delays a cluster for longer than it lasts: when it is over, growth continues at once. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Namespace } from "capstan/kinds/v1";
import { errors } from "capstan/testing";
import type { Call, Fault } from "capstan/testing";
import fc from "fast-check";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

/** The obstacles: each begins when called, and ends when the returned function is called. */
const HINDRANCES: { readonly [what: string]: (bed: EtcdWorld) => () => unknown } = {
  "members refuse changes": ({ etcd }) => {
    etcd.refusal = "Unhealthy";
    return () => (etcd.refusal = undefined);
  },
  "a learner does not catch up": ({ etcd }) => {
    etcd.refusal = "LearnerNotReady";
    return () => (etcd.refusal = undefined);
  },
  "members cannot be reached": ({ etcd }) => {
    etcd.cut.add("*");
    return () => etcd.cut.delete("*");
  },
  "the API server fails": ({ world }) => world.inject(refusing(errors.internal())),
  "writes meet those of others": ({ world }) => world.inject(refusing(errors.conflict())),
  "events come late": ({ world }) =>
    world.inject(({ verb }) => (verb === "watch" ? { fault: "late", by: 5_000 } : undefined)),
};

/** Leases are excluded: an operator that loses its lease ends, and the next one has nothing to wait for. */
function refusing(error: Error): (call: Call) => Fault | undefined {
  return ({ isWrite, kind }) => (isWrite && kind.kind !== "Lease" ? { fault: "refuse", error } : undefined);
}

const hindrance = fc.record({
  what: fc.constantFrom(...Object.keys(HINDRANCES)),
  after: fc.integer({ min: 0, max: 25 }),
  lasts: fc.integer({ min: 1, max: 300 }),
});

/** Seconds that growth from three to five takes without obstacles, with the remainder of a delay that had begun just before. */
const PATIENCE = 90;

async function grown(bed: EtcdWorld): Promise<boolean> {
  return isSettled(await bed.cluster());
}

async function pass(bed: EtcdWorld, seconds: number): Promise<void> {
  for (let second = 0; second < seconds && !(await grown(bed)); second++) await bed.pass(1);
}

test("growth after an update ends soon after any obstacle", async () => {
  await fc.assert(
    fc.asyncProperty(hindrance, async ({ what, after, lasts }) => {
      await using bed = await startWorld();
      const spec = { size: 3, version: "3.5.35", tls: { mode: "Off" } } as const;
      await bed.world.apply(EtcdCluster, "e", { spec });
      await bed.until(isSettled, "three");
      await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, version: "3.6.16" } });
      await bed.until(({ status }) => status?.version === "3.6.16", "the update, as `kubectl wait` sees it");
      await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, version: "3.6.16", size: 5 } });
      await pass(bed, after);
      const stop = HINDRANCES[what]?.(bed);
      await pass(bed, lasts);
      stop?.();
      await pass(bed, PATIENCE);
      const { status } = await bed.cluster();
      assert.ok(await grown(bed), `${JSON.stringify(status?.members)} ${JSON.stringify(status?.conditions)}`);
    }),
    { numRuns: Number(process.env["CAPSTAN_RUNS"] ?? 12) },
  );
});

test("rejected pods are created within a minute after they are allowed", async () => {
  await using bed = await startWorld();
  const enforce = (level: string) =>
    bed.world.apply(Namespace, "default", { metadata: { labels: { "pod-security.kubernetes.io/enforce": level } } });
  await enforce("restricted");
  const podTemplate = { spec: { hostNetwork: true } };
  await bed.world.apply(EtcdCluster, "e", { spec: { size: 1, version: "3.6.16", tls: { mode: "Off" }, podTemplate } });
  await bed.world.advance("1300s");
  assert.equal(bed.etcd.processes.size, 0);
  await enforce("privileged");
  await pass(bed, 60);
  assert.ok(await grown(bed), JSON.stringify((await bed.cluster()).status?.conditions));
});
