import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { annotationsOf, precedenceOf, definitionHistoryOf, replacing } from "./order.ts";
import type { DefinitionHistory } from "./order.ts";

const found = (version: string | undefined, definition: string, ...replaced: string[]): DefinitionHistory => ({
  version,
  definition,
  replaced,
});
const ours = (version: string | undefined, definition: string): Omit<DefinitionHistory, "replaced"> => ({
  version,
  definition,
});
const later = (...lineage: Parameters<typeof found>): ReturnType<typeof precedenceOf> => ({
  is: "later",
  lineage: found(...lineage),
});

const cases: readonly [
  string,
  ReturnType<typeof ours>,
  DefinitionHistory | undefined,
  ReturnType<typeof precedenceOf> | "earlier",
][] = [
  ["the first of all", ours("1.0.0", "a"), undefined, later("1.0.0", "a")],
  ["a later version", ours("1.1.0", "b"), found("1.0.0", "a"), later("1.1.0", "b", "a")],
  ["an earlier version", ours("1.0.0", "a"), found("1.1.0", "b", "a"), "earlier"],
  ["an earlier version that nobody has seen", ours("1.0.0", "x"), found("1.1.0", "b"), "earlier"],
  ["an earlier version with the same definition", ours("1.0.0", "a"), found("1.1.0", "a"), later("1.1.0", "a")],
  ["a later version that goes back on purpose", ours("1.2.0", "a"), found("1.1.0", "b", "a"), later("1.2.0", "a", "b")],
  ["the same version, another definition", ours("1.0.0", "b"), found("1.0.0", "a"), later("1.0.0", "b", "a")],
  ["the same version, a definition that was replaced", ours("1.0.0", "a"), found("1.0.0", "b", "a"), "earlier"],
  [
    "no versions, another definition",
    ours(undefined, "c"),
    found(undefined, "b", "a"),
    later(undefined, "c", "a", "b"),
  ],
  ["no versions, a definition that was replaced", ours(undefined, "a"), found(undefined, "c", "a", "b"), "earlier"],
  ["a first version after none", ours("0.1.0", "b"), found(undefined, "a"), later("0.1.0", "b", "a")],
  ["no version any more", ours(undefined, "a"), found("0.1.0", "a"), later("0.1.0", "a")],
];

describe("a definition", () => {
  for (const [name, own, there, expected] of cases) {
    test(`of ${name} is ${expected === "earlier" ? "left out" : "applied"}`, () => {
      const verdict = precedenceOf(own, there);
      if (expected === "earlier") assert.equal(verdict.is, "earlier");
      else assert.deepEqual(verdict, expected);
    });
  }

  test("a forced downgrade is no longer listed as replaced", () => {
    assert.deepEqual(replacing(ours("1.0.0", "a"), found("1.1.0", "b", "a", "z")), later("1.0.0", "a", "z", "b"));
  });

  test("remembers a limited number of replaced definitions", () => {
    let lineage = found(undefined, "0");
    for (let at = 1; at < 200; at++) {
      const verdict = precedenceOf(ours(undefined, String(at)), lineage);
      assert.ok(verdict.is === "later");
      lineage = verdict.lineage;
    }
    assert.deepEqual([lineage.replaced.length, lineage.replaced.at(-1)], [50, "198"]);
  });
});

test("the annotations of a CRD can be parsed", () => {
  for (const lineage of [found("1.0.0", "a", "b", "c"), found(undefined, "a")])
    assert.deepEqual(definitionHistoryOf(annotationsOf(lineage)), lineage);
  assert.equal(definitionHistoryOf({}), undefined);
  assert.equal(
    definitionHistoryOf({ "capstan.dev/definition": "a", "capstan.dev/operator-version": "latest" })?.version,
    undefined,
  );
});
