import assert from "node:assert/strict";
import { test } from "node:test";
import { formatFields, formatReconciles, paperOf } from "./format.ts";

test('a few fields are listed; of many the first ones, and never "1 more"', () => {
  const fields = ["a", "b", "c", "d", "e", "f"];
  assert.equal(formatFields(fields.slice(0, 4)), "a, b, c, d");
  assert.equal(formatFields(fields.slice(0, 5)), "a, b, c, d, e");
  assert.equal(formatFields(fields), "a, b, c, d and 2 more");
});

test("facts wrap with an indent on a terminal; a script gets one line for each", () => {
  const fields = Array.from({ length: 5 }, (_, at) => `status.conditions[Ready].somethingLong${at}`);
  const reconcile = {
    at: "2030-01-01T00:00:00Z",
    triggers: [],
    reads: [],
    decisions: [],
    writes: [{ verb: "status", kind: "Lamp", key: "default/one", fields }],
    outcome: "done",
    message: "",
    milliseconds: 3,
    next: "",
  } as unknown as Parameters<typeof formatReconciles>[0][number];
  const terminal = { color: false, columns: 60, isInteractive: true };
  const lines = formatReconciles([reconcile], paperOf(terminal)).trimEnd().split("\n");
  assert.match(lines[1] ?? "", /^ {2}wrote {5}status Lamp default\/one$/);
  for (const line of lines.slice(2)) assert.match(line, /^ {12}status\./);
  for (const line of lines) assert.ok(line.length <= 60, line);
  const piped = formatReconciles([reconcile], paperOf({ ...terminal, isInteractive: false }));
  assert.equal(piped.trimEnd().split("\n").length, 2);
});

test("a failed reconcile shows the line of the program", () => {
  const reconcile = {
    at: "2030-01-01T00:00:00Z",
    triggers: [],
    reads: [],
    decisions: [],
    writes: [],
    outcome: "failed",
    message: "no power",
    where: "/home/ada/src/lamp.ts:7:9",
    milliseconds: 3,
    next: "",
  } as unknown as Parameters<typeof formatReconciles>[0][number];
  const terminal = { color: false, columns: 60, isInteractive: false };
  assert.match(formatReconciles([reconcile], paperOf(terminal)), /\n {2}at {8}\/home\/ada\/src\/lamp\.ts:7:9\n/);
});
