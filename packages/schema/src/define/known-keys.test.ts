import assert from "node:assert/strict";
import { test } from "node:test";
import { DefinitionError } from "./errors.ts";
import { checkKnownKeys } from "./known-keys.ts";

const single = { group: "example.com", version: "v1", kind: "Website", spec: {} };
const many = { group: "example.com", kind: "Website", versions: { v1: { spec: {}, storage: true } }, convert: {} };

function problem(definition: object): string {
  try {
    checkKnownKeys(definition);
  } catch (error) {
    assert.ok(error instanceof DefinitionError);
    assert.equal(error.code, "UnknownKey");
    return error.message;
  }
  return "none";
}

test("known keys are accepted", () => {
  assert.equal(problem({ ...single, rules: [], columns: {}, conditions: {}, validate: () => {} }), "none");
  assert.equal(problem(many), "none");
});

test("rules beside versions are rejected and placed", () => {
  assert.equal(
    problem({ ...many, rules: [] }),
    "rules: is not a key of a definition here: with several versions, `rules` belongs to each entry of `versions`",
  );
});

test("conditions inside a version are rejected and placed", () => {
  assert.equal(
    problem({ ...many, versions: { v1: { spec: {}, storage: true, conditions: {} } } }),
    "versions.v1.conditions: is not a key of a definition here: `conditions` belongs beside `versions`, once for all",
  );
});

test("a misspelt key is rejected with the key that was probably meant", () => {
  assert.match(problem({ ...single, column: {} }), /did you mean `columns`\?$/);
  assert.match(problem({ ...single, shortnames: [] }), /did you mean `shortNames`\?$/);
  assert.match(problem({ ...single, satus: {} }), /did you mean `status`\?$/);
  assert.match(problem({ ...single, colour: 1 }), /; the keys are group, kind,/);
});
