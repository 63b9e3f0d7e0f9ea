/** Validation errors of values, in the order in which the real server mostly returns them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { TypeSchema } from "../schema/type-schema.ts";
import { findTypeErrors } from "./validate.ts";

const number = { type: (): TypeSchema => ({ scalar: "numeric" }) };
const fields = new Map([
  ["replicas", number],
  ["minReadySeconds", number],
]);
const spec: TypeSchema = { map: { kind: "granular", fields, isFreeForm: false } };

test("fields are checked by name, up to the first unknown one", () => {
  const find = (value: { [name: string]: string }): string | undefined =>
    findTypeErrors(value, spec, { allowDuplicates: false });
  assert.equal(find({ replicas: "x", nope: "y" }), ".nope: field not declared in schema");
  assert.equal(
    find({ nope: "y", minReadySeconds: "x" }),
    "errors:\n  .minReadySeconds: expected numeric (int or float), got string\n  .nope: field not declared in schema",
  );
});
