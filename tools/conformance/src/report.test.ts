import assert from "node:assert/strict";
import { test } from "node:test";
import { parseList, toFocus } from "./list.ts";
import { formatPage, formatResult, readReport } from "./report.ts";

const report = JSON.stringify([
  {
    SpecReports: [
      { LeafNodeType: "BeforeSuite", LeafNodeText: "", State: "passed", RunTime: 0 },
      {
        LeafNodeType: "It",
        ContainerHierarchyTexts: ["[sig-a] Things"],
        LeafNodeText: "work [Conformance]",
        State: "passed",
        RunTime: 1.5e9,
      },
      {
        LeafNodeType: "It",
        ContainerHierarchyTexts: ["[sig-a] Things"],
        LeafNodeText: "break",
        State: "failed",
        RunTime: 2e9,
        Failure: { Message: "expected\n  that" },
      },
      {
        LeafNodeType: "It",
        ContainerHierarchyTexts: ["[sig-a] Things"],
        LeafNodeText: "were filtered out",
        State: "skipped",
        RunTime: 0,
      },
    ],
  },
]);

test("each requested test gets a result, also one that did not run", () => {
  const results = readReport(report, [
    "[sig-a] Things work [Conformance]",
    "[sig-a] Things break",
    "[sig-a] Things were filtered out",
  ]);
  assert.deepEqual(
    results.map(({ state, reason }) => [state, reason]),
    [
      ["passed", ""],
      ["failed", "expected that"],
      ["not run", "the test program did not run it"],
    ],
  );
  assert.equal(formatResult(results[0] ?? assert.fail()), "PASS     1.5 s  [sig-a] Things work [Conformance]");
  assert.match(formatPage("All", results), /^# All\n\n1 of 3 passed\./);
});

test("a list has names and comments, and a focus matches only its name", () => {
  assert.deepEqual(parseList("# a\n\n[sig-a] b  \nc\n"), ["[sig-a] b", "c"]);
  assert.ok(new RegExp(toFocus("[sig-a] x (y) [Serial]")).test("Kubernetes e2e suite [sig-a] x (y) [Serial]"));
  assert.ok(!new RegExp(toFocus("x.y")).test("Kubernetes e2e suite xay"));
});
