import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { test } from "node:test";
import { dictionary } from "./dictionary.ts";

test("the dictionary equals the one of the draft, byte for byte", () => {
  assert.equal(dictionary.length, 1423);
  assert.equal(
    createHash("sha256").update(dictionary).digest("hex"),
    "51d27341373f923f3cd88e1eb7162aeaa3723d7585ff2399201dc06498407f02",
  );
});
