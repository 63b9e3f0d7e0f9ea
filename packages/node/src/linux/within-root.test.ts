import assert from "node:assert/strict";
import { test } from "node:test";
import { withinRoot } from "./within-root.ts";

test("no path of a container leads out of its root", () => {
  for (const [path, expected] of [
    ["/data", "/data"],
    ["data/", "/data"],
    ["/../oldroot/usr", "/oldroot/usr"],
    ["../../..", "/"],
    ["/a/./b//../c", "/a/c"],
    ["//x", "/x"],
    ["", "/"],
  ] as const)
    assert.equal(withinRoot(path), expected, path);
});
