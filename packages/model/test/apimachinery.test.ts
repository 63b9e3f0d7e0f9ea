/** Compares every parser, printer and message with the results of k8s.io/apimachinery v0.36.3 for the same input. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { answers, type Vectors } from "./apimachinery.ts";

const vectors = JSON.parse(readFileSync(new URL("generated/apimachinery.json", import.meta.url), "utf8")) as Vectors;

for (const [topic, rows] of Object.entries(vectors)) {
  test(`${topic}: the results for ${rows.length} inputs are those of apimachinery`, () => {
    const answer = answers[topic];
    assert.ok(answer !== undefined, `nobody answers ${topic}`);
    for (const row of rows) assert.deepEqual(answer(row, vectors), row);
  });
}
