/** The client Service leads to members that vote and have data, never to a learner. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod, Service } from "capstan/kinds/v1";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" } } as const;

/** Pods that the client Service selects. */
async function selected({ world }: EtcdWorld): Promise<readonly string[]> {
  const selector = Object.entries((await world.get(Service, "e-client"))?.spec?.selector ?? {});
  const pods = await world.list(Pod);
  return pods
    .filter(({ metadata }) => selector.every(([key, value]) => metadata.labels?.[key] === value))
    .map(({ metadata }) => metadata.name)
    .toSorted();
}

test("clients do not reach a learner, and reach it once it votes", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, size: 1 } });
  await bed.until(isSettled, "one");
  assert.deepEqual(await selected(bed), ["e-0"]);
  bed.etcd.isSlow = true;
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until(({ status }) => status?.members?.some(({ role }) => role === "Learner") === true, "a learner");
  await bed.pass(30);
  assert.deepEqual(await selected(bed), ["e-0"]);
  bed.etcd.isSlow = false;
  await bed.until(isSettled, "three");
  await bed.pass(60);
  assert.deepEqual(await selected(bed), ["e-0", "e-1", "e-2"]);
  await bed.world.delete(Pod, "e-1");
  await bed.until((now) => !isSettled(now), "a member is away");
  await bed.until(isSettled, "three again");
  assert.deepEqual(await selected(bed), ["e-0", "e-1", "e-2"], "a voter that starts again keeps its label");
});
