import assert from "node:assert/strict";
import { test } from "node:test";
import { toRemove } from "capstan/stateful/parts";
import { byRevision } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";

const HOUR = 3_600_000;
const now = Date.parse("2026-11-15T12:00:00Z");
const backups = [0, 1, 5, 30, 100].map((hours): Manifest => ({
  format: 2,
  name: `${hours}h`,
  cluster: { namespace: "n", name: "c", clusterId: "1" },
  time: new Date(now - hours * HOUR).toISOString(),
  member: "1",
  version: "3.6.16",
  revision: 1,
  snapshot: { bytes: 1, sha256: "" },
  stored: { bytes: 1, sha256: "" },
  compression: "none",
}));
const removed = (retention: { count?: number; ageMs?: number }, list = backups): string[] =>
  toRemove(list, retention, now).map(({ name }) => name);

test("without a limit, every backup is kept", () => assert.deepEqual(removed({}), []));
test("count keeps the newest backups", () => assert.deepEqual(removed({ count: 2 }), ["5h", "30h", "100h"]));
test("age removes old backups", () => assert.deepEqual(removed({ ageMs: 24 * HOUR }), ["30h", "100h"]));
test("a backup is kept only if both limits allow it", () =>
  assert.deepEqual(removed({ count: 4, ageMs: 48 * HOUR }), ["100h"]));
test("the newest backup is always kept", () =>
  assert.deepEqual(removed({ count: 1, ageMs: HOUR }, backups.slice(3)), ["100h"]));

test("a backup after a single-member recovery is newer, whatever its revision", () => {
  const [one, other, third] = backups;
  assert.ok(one && other && third);
  const ordered = byRevision([
    { ...one, name: "before", revision: 200 },
    { ...other, name: "since", revision: 150, forks: 1 },
    { ...third, name: "first since", revision: 110, forks: 1 },
  ]);
  assert.deepEqual(
    ordered.map(({ name }) => name),
    ["since", "first since", "before"],
  );
});
