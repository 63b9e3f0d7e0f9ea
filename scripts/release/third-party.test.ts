import assert from "node:assert/strict";
import { test } from "node:test";
import { installedFolders } from "./third-party.ts";

test("the nearest installed version counts, and links are left out", () => {
  const lock = {
    packages: {
      "node_modules/a": { dependencies: { b: "1", "@s/c": "1" }, optionalDependencies: { d: "1" } },
      "node_modules/a/node_modules/b": { dependencies: { e: "1" } },
      "node_modules/b": {},
      "node_modules/@s/c": { dependencies: { b: "2", own: "1" } },
      "node_modules/e": { dependencies: { a: "1" } },
      "node_modules/own": { link: true },
      "node_modules/other": {},
    },
  };
  assert.deepEqual(installedFolders(["a", "none"], lock), [
    "node_modules/a",
    "node_modules/a/node_modules/b",
    "node_modules/@s/c",
    "node_modules/e",
    "node_modules/b",
  ]);
});
