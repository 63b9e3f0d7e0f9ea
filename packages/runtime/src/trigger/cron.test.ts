import assert from "node:assert/strict";
import { test } from "node:test";
import { parseCron } from "./cron.ts";

function following(text: string, after: string, count = 3): string[] {
  const schedule = parseCron(text);
  assert.ok(schedule, text);
  const times: string[] = [];
  for (let at = Date.parse(after); times.length < count;) {
    at = schedule.next(at) ?? Number.NaN;
    times.push(new Date(at).toISOString().slice(0, 16));
  }
  return times;
}

test("times follow each other as in cron", () => {
  const table: [string, string, string[]][] = [
    ["*/15 * * * *", "2026-11-15T12:07:30Z", ["2026-11-15T12:15", "2026-11-15T12:30", "2026-11-15T12:45"]],
    ["0 * * * *", "2026-12-31T23:00:00Z", ["2027-01-01T00:00", "2027-01-01T01:00", "2027-01-01T02:00"]],
    ["30 2 * * mon-fri", "2026-11-13T02:30:00Z", ["2026-11-16T02:30", "2026-11-17T02:30", "2026-11-18T02:30"]],
    ["0 0 29 2 *", "2026-01-01T00:00:00Z", ["2028-02-29T00:00", "2032-02-29T00:00", "2036-02-29T00:00"]],
    ["0 0 1 * sun", "2026-11-15T00:00:00Z", ["2026-11-22T00:00", "2026-11-29T00:00", "2026-12-01T00:00"]],
    ["0 0 31 * *", "2026-11-15T00:00:00Z", ["2026-12-31T00:00", "2027-01-31T00:00", "2027-03-31T00:00"]],
    ["5,10-12 3/6 * jan,7 7", "2026-11-15T00:00:00Z", ["2027-01-03T03:05", "2027-01-03T03:10", "2027-01-03T03:11"]],
    ["@daily", "2026-11-15T00:00:00Z", ["2026-11-16T00:00", "2026-11-17T00:00", "2026-11-18T00:00"]],
  ];
  for (const [text, after, expected] of table) assert.deepEqual(following(text, after), expected, text);
});

test("invalid schedules are rejected", () => {
  for (const text of [
    "",
    "* * * *",
    "* * * * * *",
    "60 * * * *",
    "* 24 * * *",
    "* * 0 * *",
    "*/0 * * * *",
    "5-1 * * * *",
    "a b c d e",
  ]) {
    assert.equal(parseCron(text), undefined, text);
  }
  const never = parseCron("0 0 31 2 *");
  assert.ok(never);
  assert.equal(never.next(Date.parse("2026-11-15T00:00:00Z")), undefined);
});
