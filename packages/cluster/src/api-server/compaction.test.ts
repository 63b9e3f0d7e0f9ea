import assert from "node:assert/strict";
import { test } from "node:test";
import { VirtualClock } from "@capstan/runtime/testing";
import { startCompaction } from "./compaction.ts";

test("revisions older than ten minutes are compacted, newer ones are kept", async () => {
  const clock = new VirtualClock();
  const compacted: number[] = [];
  const store = { revision: 7, compact: (revision = 0) => void compacted.push(revision) };
  startCompaction(store, clock);
  store.revision = 20;
  await clock.advance(5 * 60_000);
  store.revision = 30;
  await clock.advance(5 * 60_000);
  assert.deepEqual(compacted, [7, 20]);
});
