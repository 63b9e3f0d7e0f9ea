/** A rejected object beside the members does not keep the operator from looking after them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdCluster } from "../../src/kinds/index.ts";
import { condition, isSettled, startWorld } from "./world.ts";

const spec = { size: 3, version: "3.6.16", tls: { mode: "Off" } } as const;

test("a rejected Service does not block replacement or quorum recovery", async () => {
  await using bed = await startWorld();
  await bed.world.apply(EtcdCluster, "e", { spec });
  await bed.until(isSettled, "three");
  const clientService = { annotations: { "not a key!": "x" } };
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, clientService } });
  const told = await bed.until((now) => condition(now, "Degraded")?.reason === "Refused", "a refusal");
  assert.match(condition(told, "Degraded")?.message ?? "", /not a key!/u);
  await bed.loseVolumes(["e-1", "e-2"]);
  const after = await bed.until(
    ({ status }) => status?.recovery?.phase === "Done" && status.ready === 3,
    "three again",
  );
  assert.equal(condition(after, "Degraded")?.reason, "Refused");
  await bed.world.apply(EtcdCluster, "e", { spec: { ...spec, clientService: { annotations: {} } } });
  await bed.until((now) => isSettled(now) && condition(now, "Degraded")?.status === "False", "all is well");
});
