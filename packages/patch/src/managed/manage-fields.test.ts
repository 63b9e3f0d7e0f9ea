import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "../json-value.ts";
import { deduced } from "../schema/type-schema.ts";
import { extractApplied } from "./extract.ts";
import { manageFields, type ManageFieldsResult } from "./manage-fields.ts";
import { ignoreTimestampChange } from "./timestamps.ts";

const config: JsonObject = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name: "a", labels: { app: "x" } },
  data: { color: "blue", size: "1" },
};
const request = { apiVersion: "v1", kind: "ConfigMap", schema: deduced } as const;

function objectOf(result: ManageFieldsResult): JsonObject {
  if (result.outcome !== "done") throw new Error(result.message);
  return result.object;
}

function applyAs(manager: string, live: JsonObject | undefined, incoming: JsonObject, second = 0): ManageFieldsResult {
  const now = new Date(Date.UTC(2026, 0, 2, 3, 4, second));
  return manageFields({ ...request, operation: "Apply", manager, live, incoming, now });
}

test("applying the same again changes nothing, not even a time", () => {
  const created = objectOf(applyAs("ann", undefined, config));
  const again = objectOf(applyAs("ann", created, config, 30));
  assert.deepEqual(again, created);
  assert.equal(again["data"], created["data"]);
});

test("parts that an apply does not change are shared with the live object", () => {
  const created = objectOf(applyAs("ann", undefined, config));
  const relabelled = { ...config, metadata: { name: "a", labels: { app: "y" } } };
  const changed = objectOf(applyAs("ann", created, relabelled, 1));
  assert.equal(changed["data"], created["data"]);
});

test("an applied configuration can be extracted and applied again", () => {
  const created = objectOf(applyAs("ann", undefined, config));
  const shared = objectOf(applyAs("bob", created, { ...config, metadata: { name: "a" }, data: { extra: "1" } }, 1));
  assert.deepEqual(extractApplied(shared, { manager: "bob", schema: deduced }), {
    apiVersion: "v1",
    kind: "ConfigMap",
    data: { extra: "1" },
  });
  assert.equal(extractApplied(shared, { manager: "cat", schema: deduced }), undefined);
});

test("an update that only moves times is not a change", () => {
  const created = objectOf(applyAs("ann", undefined, config));
  const later = JSON.parse(JSON.stringify(created).replaceAll("03:04:00Z", "03:05:00Z")) as JsonObject;
  assert.equal(ignoreTimestampChange(created, later), created);
  const changed = { ...later, data: { color: "red" } };
  assert.equal(ignoreTimestampChange(created, changed), changed);
});

test("a too deeply nested value is rejected, or on update stored without owners", () => {
  let deep: JsonObject = { leaf: "x" };
  for (let level = 0; level < 50_000; level++) deep = { deep };
  const object = { ...config, data: deep };
  const applied = applyAs("ann", undefined, object);
  assert.equal(applied.outcome === "refused" && applied.code, "Unprocessable");
  const now = new Date(0);
  const updated = manageFields({
    ...request,
    operation: "Update",
    manager: "bob",
    live: undefined,
    incoming: object,
    now,
  });
  assert.equal(objectOf(updated), object);
});
