import assert from "node:assert/strict";
import { test } from "node:test";
import { isLong, testFiles, toGroups } from "./files.ts";
import { groupName } from "./times.ts";

test("the unit tests of a package share a process, and all others have their own", () => {
  const groups = toGroups(testFiles("unit", "package"), () => "");
  const names = groups.map(groupName);
  assert.ok(names.includes("packages/node/src"), names.join("\n"));
  assert.ok(names.includes("scripts"));
  assert.ok(names.includes("packages/node/test/names.test.ts"));
});

test("an isolated unit test has its own process", () => {
  const files = ["scripts/test/files.test.ts", "scripts/test/graph.test.ts", "scripts/test/long.test.ts"];
  const read = (file: string): string => (file === files[1] ? "// isolated: it changes the environment\n" : "");
  assert.deepEqual(toGroups(files, read), [[files[0], files[2]], [files[1]]]);
});

test("a long test is in no other tier", () => {
  assert.ok(!testFiles("unit", "package", "story").some(isLong));
  assert.ok(testFiles("long").every(isLong));
});
