import assert from "node:assert/strict";
import { test } from "node:test";
import { formatAge } from "./age.ts";

const second = 1000;
const minute = 60 * second;
const hour = 60 * minute;
const day = 24 * hour;
const year = 365 * day;

/** Unit boundaries as in client-go's tables; a zero remainder is omitted. */
const ages: readonly (readonly [milliseconds: number, shown: string])[] = [
  [-2 * second, "<invalid>"],
  [-second, "0s"],
  [999, "0s"],
  [2 * minute - 1, "119s"],
  [2 * minute, "2m"],
  [9 * minute + 59 * second, "9m59s"],
  [10 * minute + 59 * second, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [7 * hour + 59 * minute, "7h59m"],
  [8 * hour + 59 * minute, "8h"],
  [2 * day - 1, "47h"],
  [2 * day, "2d"],
  [7 * day + 23 * hour, "7d23h"],
  [8 * day + 23 * hour, "8d"],
  [2 * year - 1, "729d"],
  [2 * year, "2y"],
  [6 * year + 320 * day, "6y320d"],
  [8 * year - 1, "7y364d"],
  [8 * year + 100 * day, "8y"],
];

for (const [milliseconds, shown] of ages) {
  test(`${milliseconds} ms are ${shown}`, () => assert.equal(formatAge(milliseconds), shown));
}
