import assert from "node:assert/strict";
import { test } from "node:test";
import { History } from "./explain.ts";
import type { ReconcileRecord } from "./explain.ts";

const reconcile = (message: string): ReconcileRecord => ({
  at: "2026-01-01T00:00:00.000Z",
  triggers: [],
  reads: [],
  writes: [],
  decisions: [],
  outcome: "done",
  message,
  milliseconds: 1,
  next: "forget",
});

test("keeps the last reconciles of each object, and the last used of many objects", () => {
  const history = new History();
  for (let at = 0; at < 30_000; at++) {
    history.record("c", `ns/${at}`, reconcile("first"));
    // One object stays in use and is never among the oldest.
    history.record("c", "ns/0", reconcile(`again ${at}`));
  }
  const kept = [...history].map(({ key }) => key);
  assert.ok(kept.length >= 10_000 && kept.length <= 11_000, `${kept.length} objects are kept`);
  assert.equal(kept.at(-1), "ns/0");
  assert.equal(kept.at(-2), "ns/29999");
  assert.equal(kept.includes("ns/1"), false);
  assert.deepEqual(
    history.of("c", "ns/0").map(({ message }) => message),
    Array.from({ length: 8 }, (_, at) => `again ${29_992 + at}`),
  );
});

test("drops no object if the limit is infinite", () => {
  const history = new History(Infinity);
  for (let at = 0; at < 12_000; at++) history.record("c", `ns/${at}`, reconcile("first"));
  assert.equal([...history].length, 12_000);
});
