import assert from "node:assert/strict";
import { test } from "node:test";
import { FairQueue } from "./fair-queue.ts";

test("flows are served in turn, whatever their number of items", () => {
  const queue = new FairQueue<string>();
  for (const at of [1, 2, 3]) queue.push("busy", `busy ${at}`);
  queue.push("calm", "calm 1");
  const served = Array.from({ length: 5 }, () => queue.shift());
  assert.deepEqual(served, ["busy 1", "calm 1", "busy 2", "busy 3", undefined]);
});

test("a flow that may not be served keeps its place", () => {
  const queue = new FairQueue<string>();
  queue.push("a", "a 1");
  queue.push("b", "b 1");
  assert.equal(
    queue.shift((flow) => flow !== "a"),
    "b 1",
  );
  assert.equal(
    queue.shift(() => false),
    undefined,
  );
  assert.deepEqual([queue.size, queue.shift(), queue.size], [1, "a 1", 0]);
});

test("a removed item is not served, and a flow without items ends", () => {
  const queue = new FairQueue<string>();
  queue.push("a", "a 1");
  queue.push("a", "a 2");
  queue.remove("a", "a 1");
  queue.remove("a", "unknown");
  assert.deepEqual([queue.sizeOf("a"), queue.shift(), queue.sizeOf("a"), queue.size], [1, "a 2", 0, 0]);
});
