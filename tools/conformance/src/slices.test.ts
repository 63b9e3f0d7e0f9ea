import assert from "node:assert/strict";
import { test } from "node:test";
import { timeOf, toSlices, type Planned } from "./slices.ts";

const planned = (name: string, seconds: number, nodes = 1): Planned => ({ name, seconds, nodes });

test("tests that must run alone count whole, others share, and none is shorter than its longest", () => {
  assert.equal(timeOf([planned("a", 10), planned("b", 10), planned("c [Serial]", 5)], 2), 15);
  assert.equal(timeOf([planned("a", 60), planned("b", 2)], 4), 60);
  assert.equal(timeOf([], 2), 0);
});

test("every test is in one slice, on as many nodes as it needs, and slices take about as long as each other", () => {
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
