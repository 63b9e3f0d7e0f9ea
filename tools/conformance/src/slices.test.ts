import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOf, toSlices, type Planned } from "./slices.ts";

const planned = (name: string, seconds: number, nodes = 1): Planned => ({ name, seconds, nodes });

test("serial tests count fully, others share, and the longest test is a lower bound", () => {
  assert.equal(timeOf([planned("a", 10), planned("b", 10), planned("c [Serial]", 5)], 2), 15);
  assert.equal(timeOf([planned("a", 60), planned("b", 2)], 4), 60);
  assert.equal(timeOf([], 2), 0);
});

test("every test is in one slice with enough nodes, and slices take similar times", () => {
  const tests = [
    ...Array.from({ length: 40 }, (_, index) => planned(`short ${index}`, 2)),
    ...Array.from({ length: 4 }, (_, index) => planned(`alone ${index} [Serial]`, 100)),
    planned("two", 5, 2),
  ];
  const slices = toSlices(tests, 4, 2);
  assert.deepEqual(slices.flatMap(({ names }) => names).toSorted(), tests.map(({ name }) => name).toSorted());
  assert.deepEqual(
    slices.filter(({ nodes }) => nodes === 2).flatMap(({ names }) => names),
    ["two"],
  );
  for (const { names } of slices.filter(({ nodes }) => nodes === 1)) {
    assert.equal(names.filter((name) => name.includes("[Serial]")).length, 1);
  }
});
