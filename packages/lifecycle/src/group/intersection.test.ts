import assert from "node:assert/strict";
import { test } from "node:test";
import type { OperatorGroup } from "../kinds/operator-group.ts";
import { judgeApis } from "./intersection.ts";

const group = (namespace: string, namespaces: readonly string[], provided = ""): OperatorGroup => ({
  apiVersion: "operators.coreos.com/v1",
  kind: "OperatorGroup",
  metadata: {
    name: "group",
    namespace,
    uid: namespace,
    resourceVersion: "1",
    creationTimestamp: "2026-01-01T00:00:00Z",
    annotations: { "olm.providedAPIs": provided },
  },
  status: { namespaces, lastUpdated: "2026-01-01T00:00:00Z" },
});

const FOO = "Foo.v1.example.com";
const BAR = "Bar.v1.example.com";
const foo = new Set([FOO]);

test("new APIs are added, known ones stay", () => {
  assert.deepEqual(judgeApis(foo, group("a", ["a"], BAR), []), { is: "add", annotation: `${BAR},${FOO}` });
  assert.deepEqual(judgeApis(foo, group("a", ["a"], FOO), []), { is: "settled" });
});

test("APIs of a group whose namespaces meet conflict, or are given up", () => {
  const other = group("b", ["a"], FOO);
  assert.deepEqual(judgeApis(foo, group("a", ["a"]), [other]), { is: "conflict" });
  assert.deepEqual(judgeApis(foo, group("a", ["a"], `${BAR},${FOO}`), [other]), { is: "remove", annotation: BAR });
});

test("the own namespace of a group counts, and all namespaces meet everything", () => {
  assert.equal(judgeApis(foo, group("a", ["a"]), [group("b", ["c"], FOO)]).is, "add");
  assert.equal(judgeApis(foo, group("a", ["b"]), [group("b", ["c"], FOO)]).is, "conflict");
  assert.equal(judgeApis(foo, group("a", [""]), [group("b", ["c"], FOO)]).is, "conflict");
});
