import assert from "node:assert/strict";
import { test } from "node:test";
import { compareVersions, isVersion } from "./version.ts";

const inOrder = [
  "0.0.0",
  "0.9.0",
  "0.10.0-1",
  "0.10.0-2",
  "0.10.0-10",
  "0.10.0-alpha",
  "0.10.0-alpha.1",
  "0.10.0-alpha.beta",
  "0.10.0-beta.2",
  "0.10.0-beta.11",
  "0.10.0-rc.1",
  "0.10.0",
  "1.0.0",
  "1.0.9",
  "1.0.10",
  "1.0.9007199254740993",
  "1.0.9007199254740994",
];

test("versions have the order of semantic versioning", () => {
  for (const [at, first] of inOrder.entries()) {
    for (const [other, second] of inOrder.entries()) {
      assert.equal(Math.sign(compareVersions(first, second)), Math.sign(at - other), `${first} and ${second}`);
    }
  }
  assert.equal(compareVersions("1.2.3+one", "1.2.3+two"), 0);
});

test("an invalid version is recognized", () => {
  for (const text of [...inOrder, "1.2.3+build.5"]) assert.equal(isVersion(text), true, text);
  for (const text of ["", "1", "1.2", "v1.2.3", "1.2.3.4", "01.2.3", "1.2.x", "1.2.3-", "latest"])
    assert.equal(isVersion(text), false, text);
});
