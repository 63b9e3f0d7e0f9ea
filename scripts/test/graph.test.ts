import assert from "node:assert/strict";
import { test } from "node:test";
import { affectedBy, inputsHash, readGraph } from "./graph.ts";

const graph = readGraph();
const own = "scripts/test/graph.test.ts";
/** The path of a source, not written in one piece, or this file would depend on it. */
const source = (...parts: string[]): string => `${parts.join("/")}.ts`;

test("a file depends on its imports, transitively, and on the lock file", () => {
  const depends = graph.dependenciesOf(own);
  for (const file of [own, "scripts/test/graph.ts", "scripts/check/layers.ts", "package-lock.json"])
    assert.ok(depends.has(file), file);
  assert.ok(!depends.has(source("scripts", "test", "machine")));
});

test("a file depends on the sources behind the name of a package", () => {
  assert.ok(
    graph
      .dependenciesOf(source("scripts", "test", "machine"))
      .has(source("tools", "kubernetes", "src", "use-kubernetes")),
  );
});

test("a file depends on the data files in its folder and in those of its sources", () => {
  assert.ok(
    graph.dependenciesOf(source("tools", "conformance", "test", "fast.test")).has("tools/conformance/results.json"),
  );
});

test("a change affects the tests that depend on it and no other", () => {
  const tests = [own, "scripts/test/summary.test.ts"];
  assert.deepEqual(affectedBy(tests, ["scripts/check/layers.ts"], graph), [own]);
  assert.deepEqual(affectedBy(tests, ["package-lock.json"], graph), tests);
});

test("two files have two fingerprints, and a fingerprint stays", () => {
  assert.equal(inputsHash(own, graph), inputsHash(own, readGraph()));
  assert.notEqual(inputsHash(own, graph), inputsHash("scripts/test/summary.test.ts", graph));
});
