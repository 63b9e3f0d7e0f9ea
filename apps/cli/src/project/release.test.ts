import assert from "node:assert/strict";
import { test } from "node:test";
import { isNewer } from "./release.ts";

test("releases are ordered by semantic versioning", () => {
  const inOrder = [
    "0.0.9",
    "0.1.0-alpha",
    "0.1.0-alpha.1",
    "0.1.0-alpha.beta",
    "0.1.0-beta",
    "0.1.0-beta.2",
    "0.1.0-beta.11",
    "0.1.0-rc.1",
    "0.1.0",
    "0.2.0",
    "0.10.0",
    "9.9.9",
    "10.0.0+build",
  ];
  for (const [at, one] of inOrder.entries())
    for (const [index, other] of inOrder.entries()) assert.equal(isNewer(one, other), at > index, `${one}, ${other}`);
  assert.equal(isNewer("latest", "0.1.0"), false);
});
