/** Certificates in a whole cluster: mounted, renewed and replaced without a restart of any member. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Pod, Secret } from "@capstan/kinds/v1";
import { MemoryWorld } from "../../src/testing/memory/world.ts";
import { openWorld } from "./open-world.ts";
import { store } from "./store.ts";

test("a new authority takes over while all members keep running", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  const tls = { overlap: "1m" };
  await world.apply({ size: 3, version: "2.0", tls });
  const first = await world.settle("the cluster is created");
  assert.equal(conditionOf(first, "TLSReady")?.reason, "Valid");
  const pods = await world.world.list(Pod);
  assert.deepEqual(
    pods.map(({ spec }) => spec?.volumes?.find(({ name }) => name === "tls")?.secret?.secretName),
    ["c-certificate", "c-certificate", "c-certificate"],
  );
  const trust = await world.world.get(Secret, "c-trust");
  assert.deepEqual(Object.keys(trust?.data ?? {}), ["ca.crt"]);
  await world.apply({ size: 3, version: "2.0", tls: { ...tls, rotation: "now" } });
  for (const reason of ["Introducing", "Retiring", "Valid"]) {
    await world.until((now) => conditionOf(now, "TLSReady")?.reason === reason, `the phase ${reason}`);
  }
  await world.settle("the rotation is over");
  const after = await world.world.get(Secret, "c-trust");
  assert.notEqual(after?.data?.["ca.crt"], trust?.data?.["ca.crt"]);
  const idsOf = (list: typeof pods) => list.map(({ metadata }) => metadata.uid);
  assert.deepEqual(idsOf(await world.world.list(Pod)), idsOf(pods), "no pod was replaced");
  const restarts = (await world.world.list(Pod)).map(({ status }) => status?.containerStatuses?.[0]?.restartCount);
  assert.deepEqual(restarts, [0, 0, 0]);
});

test("no pod starts without encryption while a provided Secret does not exist", async () => {
  await using world = await MemoryWorld.open(store, openWorld);
  await world.apply({ size: 1, version: "2.0", tls: { mode: "Provided", secret: "given" } });
  const refused = await world.until(
    (now) =>
      conditionOf(now, "TLSReady")?.reason === "SecretMissing" && conditionOf(now, "Degraded")?.status === "True",
    "the condition",
  );
  assert.match(conditionOf(refused, "Degraded")?.message ?? "", /there is no Secret given/u);
  assert.deepEqual(await world.world.list(Pod), []);
  await world.apply({ size: 1, version: "2.0", tls: { mode: "Managed" } });
  await world.settle("a corrected spec is used");
});

function conditionOf({ status }: Awaited<ReturnType<MemoryWorld["object"]>>, type: string) {
  return status?.conditions?.find((one) => one.type === type);
}
