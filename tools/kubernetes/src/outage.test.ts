import assert from "node:assert/strict";
import test from "node:test";

import { cutRules } from "./outage.ts";

test("a cut drops packets from and to the addresses and replaces the previous cut", () => {
  const rules = cutRules(["10.244.0.2", "10.244.0.3"]);
  assert.match(rules, /^add table ip capstan-cut\ndelete table ip capstan-cut\ntable ip capstan-cut \{/);
  assert.match(rules, /ip saddr \{ 10\.244\.0\.2, 10\.244\.0\.3 \} drop/);
  assert.match(rules, /ip daddr \{ 10\.244\.0\.2, 10\.244\.0\.3 \} drop/);
});

test("without addresses nothing is cut any more", () => {
  assert.equal(cutRules([]), "add table ip capstan-cut\ndelete table ip capstan-cut\n");
});
