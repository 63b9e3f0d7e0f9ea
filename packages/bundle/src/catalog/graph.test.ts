/** Tests of channel graphs; the messages are those of `opm validate`. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { graphProblem, headOf } from "./graph.ts";
import type { ChannelEntry } from "./model.ts";

function channel(...entries: readonly Partial<ChannelEntry>[]): { entries: Map<string, ChannelEntry> } {
  return { entries: new Map(entries.map((entry) => [entry.name ?? "", { name: "", skips: [], ...entry }])) };
}

test("the head is the entry that no entry replaces or skips", () => {
  const found = channel({ name: "a" }, { name: "b", replaces: "a" }, { name: "c", skips: ["b"], replaces: "a" });
  assert.deepEqual(headOf(found), { entry: found.entries.get("c") });
  assert.equal(graphProblem(found), undefined);
});

test("a skipRange makes no edge", () => {
  const found = channel({ name: "a", skipRange: "<2.0.0" }, { name: "b", skipRange: "<2.0.0" });
  assert.equal(graphProblem(found), "multiple channel heads found in graph: a, b");
});

test("the tail may replace an entry that does not exist", () => {
  assert.equal(graphProblem(channel({ name: "b", replaces: "gone" }, { name: "c", replaces: "b" })), undefined);
});

test("a cycle without a head and one below the head are named", () => {
  assert.equal(
    graphProblem(channel({ name: "a", replaces: "b" }, { name: "b", replaces: "a" })),
    "no channel head found in graph",
  );
  assert.equal(
    graphProblem(channel({ name: "c", replaces: "b" }, { name: "b", replaces: "a" }, { name: "a", replaces: "b" })),
    "detected cycle in replaces chain of upgrade graph: b -> a -> b",
  );
});

test("entries that the chain does not reach are stranded unless they are skipped", () => {
  assert.equal(
    graphProblem(channel({ name: "a" }, { name: "b", replaces: "a" }, { name: "c", skips: ["b"] })),
    "channel contains one or more stranded bundles: a",
  );
});
