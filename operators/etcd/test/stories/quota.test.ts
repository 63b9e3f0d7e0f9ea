import assert from "node:assert/strict";
import { test } from "node:test";
import { EtcdError } from "../../src/etcd/index.ts";
import { LONG_STORY_GROUNDS } from "./ground.ts";
import { Scene } from "./scene.ts";

const VALUE = "x".repeat(1_000_000);

for (const [name, start] of LONG_STORY_GROUNDS) {
  test(`${name}: a database full of old revisions accepts writes again by itself`, async (t) => {
    const scene = await Scene.open(t, await start(t));
    await scene.apply({
      size: 1,
      version: "3.6.16",
      options: { "quota-backend-bytes": "16777216" },
      maintenance: { compaction: { mode: "Off" } },
    });
    await scene.settled("one member is well");
    const began = performance.now();
    assert.equal(await fill(scene), "NoSpace");
    await scene.until("writes are taken again", async () => {
      await using client = await scene.member("e-0");
      await client.kv.put("again", "yes");
      return true;
    });
    t.diagnostic(`${name} | the quota is used up | ${Math.round((performance.now() - began) / 1000)} s`);
    assert.equal(await scene.read("again"), "yes");
  });
}

/** Errors that do not depend on space: the machine is busy. */
const UNDECIDED: ReadonlySet<string> = new Set(["Unreachable", "Deadline", "NoLeader"]);

/** Writes one key over and over until etcd rejects the write; returns the error's code. */
async function fill(scene: Scene): Promise<string> {
  await using client = await scene.member("e-0");
  for (let count = 0; count < 100; count++) {
    try {
      await client.kv.put("full", VALUE);
    } catch (error) {
      if (!(error instanceof EtcdError)) throw error;
      if (!UNDECIDED.has(error.code)) return error.code;
    }
  }
  return "it never was full";
}
