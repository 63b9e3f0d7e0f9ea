import assert from "node:assert/strict";
import { test } from "node:test";
import { defineResource, s } from "@capstan/schema";
import { sampleProblems } from "./sample-check.ts";

const Lamp = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Lamp",
  spec: s.object({ watts: s.int32().min(1), color: s.string().default("white") }),
});

const sample = (spec: string): readonly string[] =>
  sampleProblems(`apiVersion: example.com/v1\nkind: Lamp\nmetadata: { name: a }\nspec: ${spec}\n`, "lamp.yaml", [Lamp]);

test("a sample that the schema accepts has no problems, defaults included", () => {
  assert.deepEqual(sample("{ watts: 5 }"), []);
});

test("invalid and unknown fields are reported by their path", () => {
  const [missing, unknown] = sample("{ wats: 5 }");
  assert.match(missing ?? "", /^spec\.watts: Required value/u);
  assert.equal(unknown, "spec.wats: Lamp has no such field");
  assert.match(sample("{ watts: 0 }").join(), /^spec\.watts: Invalid value: 0/u);
});

test("other kinds and versions are skipped, and an unreadable file is reported", () => {
  assert.deepEqual(sampleProblems("apiVersion: v1\nkind: Lamp\n---\n- 1\n---\ntext\n", "other.yaml", [Lamp]), []);
  assert.match(sampleProblems("a: [", "broken.yaml", [Lamp]).join(), /^cannot read broken\.yaml: /u);
});
