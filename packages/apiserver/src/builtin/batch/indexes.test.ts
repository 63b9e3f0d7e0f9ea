import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { countIndexes, firstOverlap } from "./indexes.ts";

/** Sorted, distinct indexes, and their text with runs joined. */
const indexes = fc
  .uniqueArray(fc.nat(40), { maxLength: 20 })
  .map((list) => list.toSorted((a, b) => a - b))
  .map((list) => ({ list, text: toText(list) }));

function toText(list: readonly number[]): string {
  const runs: [number, number][] = [];
  for (const index of list) {
    const last = runs.at(-1);
    if (last !== undefined && last[1] === index - 1) last[1] = index;
    else runs.push([index, index]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

test("countIndexes counts every written index", () => {
  fc.assert(fc.property(indexes, ({ list, text }) => countIndexes(text, 41) === list.length));
});

test("firstOverlap finds the first index that two lists share", () => {
  fc.assert(
    fc.property(indexes, indexes, (a, b) => {
      const shared = a.list.find((index) => b.list.includes(index));
      return firstOverlap(a.text, b.text, 41) === shared;
    }),
  );
});

test("a malformed list of indexes is an error", () => {
  assert.equal(countIndexes("9", 5), 'too large index: "9"');
  assert.equal(countIndexes("1-x", 5), 'cannot convert string to integer for index: "x"');
  assert.equal(countIndexes("3-1", 5), "non-increasing order, previous: 3, current: 1");
  assert.equal(countIndexes("2,1", 5), "non-increasing order, previous: 2, current: 1");
});
