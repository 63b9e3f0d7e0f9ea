import assert from "node:assert/strict";
import { test } from "node:test";
import { isDefragmentUseless } from "./maintenance.ts";

test("space is reclaimed at once at first, soon after a change, and else rarely", () => {
  const at = Date.parse("2026-01-01T00:00:00Z");
  const former = { revision: 7, quota: 100, at: "2026-01-01T00:00:00Z" };
  const same = { revision: 7, quota: 100 };
  const after = (minutes: number): number => at + minutes * 60_000;
  assert.equal(isDefragmentUseless(undefined, { ...same, now: at }), false);
  assert.equal(isDefragmentUseless(former, { ...same, now: after(1) }), true);
  assert.equal(isDefragmentUseless(former, { ...same, now: after(59) }), true);
  assert.equal(isDefragmentUseless(former, { ...same, now: after(60) }), false);
  for (const changed of [{ revision: 8 }, { quota: 200 }]) {
    assert.equal(isDefragmentUseless(former, { ...same, ...changed, now: after(1) }), true);
    assert.equal(isDefragmentUseless(former, { ...same, ...changed, now: after(2) }), false);
  }
});
