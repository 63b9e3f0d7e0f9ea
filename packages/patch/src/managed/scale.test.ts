import assert from "node:assert/strict";
import { test } from "node:test";
import type { ManagedFieldsEntry } from "@capstan/model";
import type { TypeSchema } from "../schema/type-schema.ts";
import { manageFields } from "./manage-fields.ts";
import { fromScaleFields, toScaleFields } from "./scale.ts";

const paths = { "apps/v1": ["f:spec", "f:replicas"] };
const number: TypeSchema = { scalar: "numeric" };
const spec: TypeSchema = {
  map: { kind: "granular", fields: new Map([["replicas", { type: () => number }]]), isFreeForm: false },
};
const text: TypeSchema = { scalar: "string" };
const metadata: TypeSchema = {
  map: { kind: "granular", fields: new Map([["name", { type: () => text }]]), isFreeForm: false },
};
const scaleType: TypeSchema = {
  map: {
    kind: "granular",
    fields: new Map([
      ["apiVersion", { type: () => text }],
      ["kind", { type: () => text }],
      ["metadata", { type: () => metadata }],
      ["spec", { type: () => spec }],
    ]),
    isFreeForm: false,
  },
};

const ann: ManagedFieldsEntry = {
  manager: "ann",
  operation: "Apply",
  apiVersion: "apps/v1",
  time: "2026-11-15T12:07:39Z",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:paused": {}, "f:replicas": {} } },
};
const stolen = { ...ann, fieldsV1: { "f:spec": { "f:paused": {} } } };
const owns = {
  apiVersion: "apps/v1",
  fieldsType: "FieldsV1",
  fieldsV1: { "f:spec": { "f:replicas": {} } },
  subresource: "scale",
};

/** Writes a Scale like the server: with the owners of the replicas, whose new owners are written back into the object. */
function scale(
  parent: readonly ManagedFieldsEntry[],
  request: { manager: string; replicas: number; force?: boolean; verb: "Apply" | "Update" },
) {
  const object = { apiVersion: "autoscaling/v1", kind: "Scale", metadata: { name: "sc" }, spec: { replicas: 1 } };
  const incoming = { ...object, spec: { replicas: request.replicas } };
  const managedFields = toScaleFields(parent, paths).map((entry) => ({ ...entry }));
  const result = manageFields({
    operation: request.verb,
    live: { ...object, metadata: { name: "sc", managedFields } },
    incoming,
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    manager: request.manager,
    subresource: "scale",
    force: request.force ?? false,
    now: new Date("2026-11-15T12:08:00Z"),
    schema: scaleType,
  });
  if (result.outcome !== "done") return result.message;
  const written = (result.object["metadata"] as { managedFields?: ManagedFieldsEntry[] }).managedFields ?? [];
  return fromScaleFields({ parent, scale: written, apiVersion: "apps/v1", paths });
}

test("applying a Scale conflicts with the owner of replicas unless it is forced", () => {
  const conflict = 'Apply failed with 1 conflict: conflict with "ann": .spec.replicas';
  assert.equal(scale([ann], { manager: "bob", replicas: 2, verb: "Apply" }), conflict);
  const forced = scale([ann], { manager: "bob", replicas: 2, force: true, verb: "Apply" });
  assert.deepEqual(forced, [{ manager: "bob", operation: "Apply", ...owns }, stolen]);
});

test("updating a Scale takes the replicas from their owner", () => {
  const once = scale([ann], { manager: "hpa", replicas: 3, verb: "Update" });
  assert.deepEqual(once, [stolen, { manager: "hpa", operation: "Update", ...owns }]);
  const twice = scale(once as ManagedFieldsEntry[], { manager: "hpa", replicas: 4, verb: "Update" });
  assert.deepEqual(twice, once);
});

test("applying the value that is there shares the replicas", () => {
  const parent: ManagedFieldsEntry[] = [stolen, { manager: "hpa", operation: "Update", ...owns } as ManagedFieldsEntry];
  const shared = scale(parent, { manager: "ann", replicas: 1, verb: "Apply" });
  const expected = [
    { manager: "ann", operation: "Apply", ...owns },
    stolen,
    { manager: "hpa", operation: "Update", ...owns },
  ];
  assert.deepEqual(shared, expected);
});
