import assert from "node:assert/strict";
import { test } from "node:test";
import { backlogOf, timesTried } from "./backlog.ts";
import type { Recorded } from "./results.ts";

test("every case is tried as often as requested, the least tried first", () => {
  const tried: { readonly [name: string]: number } = { often: 3, once: 1, never: 0 };
  const left = backlogOf(Object.keys(tried), (name) => tried[name] ?? 0, 3);
  assert.deepEqual(
    left.map(({ of, repeat }) => `${of} ${repeat}`),
    ["never 0", "once 1", "never 1", "once 2", "never 2"],
  );
  assert.deepEqual(
    backlogOf(["often"], () => 3, 3),
    [],
  );
});

test("recorded results are counted by name and by cluster", () => {
  const circumstances = { at: "", commit: "", cores: 2, load: 1 };
  const refusal = { kind: "refusal", mendedBy: "", words: "", ...circumstances } as const;
  const results: readonly Recorded[] = [
    { ...refusal, name: "a", ground: "embedded" },
    { ...refusal, name: "a", ground: "kubernetes" },
    { ...refusal, name: "b", ground: "embedded" },
    { ...refusal, name: "a", ground: "embedded" },
  ];
  assert.equal(timesTried(results, "embedded", "a"), 2);
  assert.equal(timesTried(results, "kubernetes", "b"), 0);
});
