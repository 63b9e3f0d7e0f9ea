import assert from "node:assert/strict";
import { test } from "node:test";
import { describeOldNode, isSince } from "./node-version.ts";

test("versions of Node are compared by number", () => {
  assert.equal(isSince("22.18.0", [22, 18]), true);
  assert.equal(isSince("22.9.0", [22, 18]), false);
  assert.equal(isSince("24.0.0", [22, 18]), true);
  assert.equal(isSince("20.20.2", [22, 18]), false);
});

test("an old Node gets one sentence with the version that is needed", () => {
  assert.equal(
    describeOldNode("20.20.2"),
    "Node 20.20.2 is too old: capstan needs Node 22.18 or newer (https://nodejs.org/download)",
  );
  assert.equal(describeOldNode("24.2.0"), undefined);
});
