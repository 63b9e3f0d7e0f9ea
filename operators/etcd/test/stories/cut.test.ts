import assert from "node:assert/strict";
import { test } from "node:test";
import { LONG_STORY_GROUNDS } from "./ground.ts";
import { Scene } from "./scene.ts";
import type { ClusterObject } from "./scene.ts";

function conditionOf({ status }: ClusterObject, type: string) {
  return status?.conditions?.find((one) => one.type === type);
}

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: an operator without network to the members waits`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    await scene.apply({ size: 3, version: "3.6.16" });
    const before = await scene.settled("three members are well");
    const uids = (await scene.pods()).map(({ metadata }) => metadata.uid).toSorted();
    scene.gate.shut();
    const cut = await scene.until("the cut is told", async () => {
      const now = await scene.cluster();
      return conditionOf(now, "Available")?.reason === "OperatorCannotConnect" && now;
    });
    assert.equal(conditionOf(cut, "Available")?.status, "True");
    assert.equal(conditionOf(cut, "QuorumLost")?.status, "False");
    await scene.put("while cut off", "served");
    // The operator waits with the new spec: it touches nothing that it cannot observe.
    await scene.apply({ size: 5, version: "3.6.16" });
    await scene.until("the change is seen and waits", async () => {
      const progressing = conditionOf(await scene.cluster(), "Progressing");
      return progressing?.observedGeneration === 2 && progressing.reason === "Wait";
    });
    assert.deepEqual((await scene.pods()).map(({ metadata }) => metadata.uid).toSorted(), uids);
    scene.gate.reopen();
    const after = await scene.settled("five members are well");
    assert.equal(after.status?.clusterId, before.status?.clusterId);
    assert.equal(await scene.read("while cut off"), "served");
  });
}
