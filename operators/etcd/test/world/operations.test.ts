/** Operations report what was done, and fail where it could not be done. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster, EtcdOperation } from "../../src/kinds/index.ts";
import { isSettled, startWorld } from "./world.ts";
import type { EtcdWorld } from "./world.ts";

const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" } } as const;

const OPERATIONS = {
  defragment: { defragment: {} },
  lead: { moveLeader: {} },
  replace: { replaceMember: { member: "e-1" } },
} as const;

/** Runs an operation; returns how it ended. */
async function run(bed: EtcdWorld, name: string, operation: object): Promise<{ phase: string; message: string }> {
  await bed.world.apply(EtcdOperation, name, { spec: { cluster: "e", do: operation } as never });
  for (let second = 0; second < 600; second++) {
    const { status } = (await bed.world.get(EtcdOperation, name)) ?? {};
    if (status?.ended !== undefined) {
      const told = status.conditions?.find(({ type }) => type === "Complete");
      return { phase: status.phase ?? "", message: told?.message ?? "" };
    }
    await bed.pass(1);
  }
  return assert.fail(`${name} did not end`);
}

test("operations on a hibernated cluster are rejected with the reason", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until(isSettled, "three");
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, size: 0 } });
  await bed.until((now) => isSettled(now) && bed.etcd.processes.size === 0, "sleep");
  const asked = [...bed.etcd.log];
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const { phase, message } = await run(bed, name, operation);
    assert.deepEqual([phase, message], ["Rejected", "e is hibernated: no member can be asked"], name);
  }
  assert.deepEqual(bed.etcd.log, asked);
});

test("operations report what was done; the leader moves to a healthy follower", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec });
  const born = await bed.until(isSettled, "three");
  const defragmented = await run(bed, "defragment", OPERATIONS.defragment);
  assert.equal(defragmented.phase, "Succeeded");
  const done = bed.etcd.log.filter((line) => line.startsWith("defragment")).toSorted();
  assert.deepEqual(done, ["defragment e-0", "defragment e-1", "defragment e-2"]);
  bed.etcd.cut.add(bed.etcd.processes.get("e-1")?.address ?? "");
  await bed.until(({ status }) => status?.members?.[1]?.health !== "Healthy", "a follower that is out of reach");
  const { phase, message } = await run(bed, "lead", OPERATIONS.lead);
  assert.deepEqual([phase, message], ["Succeeded", "e-2 leads instead of e-0"]);
  const [, , target] = born.status?.members ?? [];
  assert.equal(bed.etcd.log.at(-1), `lead ${target?.id}`);
});
