import assert from "node:assert/strict";
import { test } from "node:test";
import { lastValue, listValue, parseFlags } from "./flags.ts";

test("a flag takes its value after an equals sign, from the next argument, or has none", () => {
  const flags = parseFlags(["--secure-port=6443", "--cert-dir", "/tmp/x", "--allow-privileged", "--v=2"]);
  assert.equal(lastValue(flags, "secure-port"), "6443");
  assert.equal(lastValue(flags, "cert-dir"), "/tmp/x");
  assert.equal(lastValue(flags, "allow-privileged"), "true");
  assert.equal(lastValue(flags, "none"), undefined);
});

test("a repeated flag replaces its value or adds to its list", () => {
  const flags = parseFlags(["--x=1", "--x=2,3", "-y", "--x="]);
  assert.deepEqual(listValue(flags, "x"), ["1", "2", "3"]);
  assert.equal(lastValue(flags, "x"), "");
  assert.equal(lastValue(flags, "y"), "true");
});
