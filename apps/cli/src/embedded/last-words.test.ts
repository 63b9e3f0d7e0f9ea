import assert from "node:assert/strict";
import { test } from "node:test";
import { lastWordsOf } from "./last-words.ts";

const cases: readonly (readonly [why: string, log: string, words: string])[] = [
  ["nothing was said", "\n", ""],
  ["a sentence", "warn: slow\ncapstan: the port is taken\n", "the port is taken"],
  [
    "a sentence and a stack that repeats it",
    "capstan: the path is too long\nNodeError: the path is too long\n    at start (file:///a.ts:1:2)\n    at async open (b.ts:3:4)\n",
    "the path is too long",
  ],
  ["a sentence of two lines", "capstan: there is:\n  one thing\n", "there is:\n  one thing"],
  ["a frame right after it", "capstan: no\n    at start (a.ts:1:2)\n", "no"],
  ["lines of nobody", "1\n2\n3\n4\n5\n6\n", "2\n3\n4\n5\n6"],
];

for (const [why, log, words] of cases)
  test(`the final error in a log: ${why}`, () => {
    assert.equal(lastWordsOf(log), words);
  });
