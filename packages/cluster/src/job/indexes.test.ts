import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { formatIndexes, parseIndexes } from "./indexes.ts";

test("indexes have the format of Kubernetes", () => {
  const cases: [number[], string][] = [
    [[], ""],
    [[3], "3"],
    [[0, 1], "0,1"],
    [[0, 1, 2, 5, 7, 8, 9], "0-2,5,7-9"],
  ];
  for (const [indexes, text] of cases) assert.equal(formatIndexes(new Set(indexes)), text);
});

test("formatted indexes parse to the same set, up to the limit", () => {
  const sets = fc.uniqueArray(fc.integer({ min: 0, max: 60 }));
  fc.assert(
    fc.property(sets, fc.integer({ min: 0, max: 70 }), (indexes, limit) => {
      const read = parseIndexes(formatIndexes(new Set(indexes)), limit);
      assert.deepEqual(new Set(read), new Set(indexes.filter((index) => index < limit)));
    }),
  );
});
