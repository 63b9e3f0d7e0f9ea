import assert from "node:assert/strict";
import { test } from "node:test";
import { maintenanceAt, windowProblems } from "./windows.ts";

const at = (text: string): number => Date.parse(text);
/** Sundays from two to four. */
const sunday = { schedule: "0 2 * * 0", duration: "2h" };

test("a window is open from its start, for its duration", () => {
  const isOpen = (text: string): boolean => maintenanceAt(at(text), [sunday]).isOpen;
  assert.equal(isOpen("2026-11-22T01:59:59Z"), false);
  assert.equal(isOpen("2026-11-22T02:00:00Z"), true);
  assert.equal(isOpen("2026-11-22T03:59:59Z"), true);
  assert.equal(isOpen("2026-11-22T04:00:00Z"), false);
});

test("the next window is the earliest of all", () => {
  const daily = { schedule: "30 1 * * *", duration: "10m" };
  assert.equal(maintenanceAt(at("2026-11-19T12:00:00Z"), [sunday]).next, at("2026-11-22T02:00:00Z"));
  assert.equal(maintenanceAt(at("2026-11-19T12:00:00Z"), [sunday, daily]).next, at("2026-11-20T01:30:00Z"));
});

test("without windows it is always open, and a wrong one never is", () => {
  assert.deepEqual(maintenanceAt(0, []), { isOpen: true });
  const wrong = { schedule: "at night", duration: "1h" };
  assert.deepEqual(maintenanceAt(0, [wrong]), { isOpen: false });
  assert.match(windowProblems([wrong, sunday]).join(), /^at night is not a cron schedule/u);
});
