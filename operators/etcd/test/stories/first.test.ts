import assert from "node:assert/strict";
import { test } from "node:test";
import { GROUNDS } from "./ground.ts";
import { Scene } from "./scene.ts";

for (const [name, start] of Object.entries(GROUNDS)) {
  test(`${name}: a cluster of three comes up and keeps what it is given`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    await scene.apply({ size: 3, version: "3.6.16" });
    const { status } = await scene.settled("three members are well");
    assert.equal(status?.members?.length, 3);
    await using one = await scene.member("e-0");
    await one.kv.put("hello", "world");
    await using other = await scene.member("e-2");
    assert.equal((await other.kv.get("hello"))?.value.toString(), "world");
  });
}
