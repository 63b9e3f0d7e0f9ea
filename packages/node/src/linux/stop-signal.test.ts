import assert from "node:assert/strict";
import { test } from "node:test";
import { toSignal } from "./stop-signal.ts";

for (const [name, number] of [
  ["SIGTERM", 15],
  ["QUIT", 3],
  ["15", 15],
  ["37", 37],
  ["SIGRTMIN+3", 37],
  ["RTMIN", 34],
  ["SIGRTMAX-4", 60],
  ["SIGNOTHING", 15],
  ["0", 15],
  ["900", 15],
  ["", 15],
] as const)
  test(`the signal ${JSON.stringify(name)} is number ${number}`, () => {
    assert.equal(toSignal(name), number);
  });
