import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUNDS } from "./ground.ts";
import { Scene } from "./scene.ts";

for (const [name, start] of Object.entries(GROUNDS)) {
  test(`${name}: a cluster of three becomes available and keeps its data`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    await scene.apply({ size: 3, version: "3.6.16" });
    await scene.settled("three members are well");
    // Followers are a little behind while a write is under way.
    const { status } = await scene.until("nobody is behind", async () => {
      const now = await scene.cluster();
      return now.status?.members?.every(({ lag }) => lag === 0) === true && now;
    });
    assert.equal(status?.members?.length, 3);
    const nodes = (await scene.pods()).map(({ spec }) => (spec as { readonly nodeName?: string }).nodeName);
    assert.deepEqual(new Set(status.members.map(({ node }) => node)), new Set(nodes));
    for (const { id, version, health, lag, dbBytes } of status.members) {
      assert.match(id ?? "", /^[0-9a-f]+$/u);
      assert.deepEqual([version, health, lag], ["3.6.16", "Healthy", 0]);
      assert.ok((dbBytes ?? 0) > 0);
    }
    // On a busy machine the leader may change meanwhile, and no member accepts writes for a moment.
    await using one = await scene.member("e-0");
    await scene.until("one member takes it", () => one.kv.put("hello", "world"));
    await using other = await scene.member("e-2");
    const found = await scene.until("another one is asked", () => other.kv.get("hello"));
    assert.equal(found.value.toString(), "world");
  });
}
