/** Compares the paths of quantities with the OpenAPI document of kube-apiserver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openApiV2 } from "@capstan/kinds/openapi";
import { isQuantity, isSameQuantity } from "./quantity.ts";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly "x-kubernetes-group-version-kind"?: unknown;
}

const { definitions } = openApiV2() as unknown as { readonly definitions: { readonly [name: string]: Schema } };
const QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity";
/** Deep enough for a pod in a template of a CronJob. */
const DEPTH = 14;

/** Strings and quantities that a user may send, each with its path as spelled by managed fields and by maps within atomic values. */
function* leaves(schema: Schema, paths: readonly string[], within: readonly string[]): Generator<[string, boolean]> {
  const name = schema.$ref?.replace("#/definitions/", "");
  if (name === QUANTITY || (name === undefined && schema.type === "string")) {
    for (const path of paths) yield [path, name === QUANTITY];
    return;
  }
  if (name !== undefined) {
    const inner = definitions[name];
    if (inner !== undefined && !within.includes(name) && within.length < DEPTH)
      yield* leaves(inner, paths, [...within, name]);
    return;
  }
  const below = (...suffixes: readonly string[]): string[] =>
    paths.flatMap((path) => suffixes.map((one) => path + one));
  for (const [field, inner] of Object.entries(schema.properties ?? {}))
    yield* leaves(inner, paths[0] === "" ? [field] : below(`.${field}`), within);
  if (schema.items !== undefined) yield* leaves(schema.items, below("[]", '[{"name":"a"}]'), within);
  if (schema.additionalProperties !== undefined)
    yield* leaves(schema.additionalProperties, below(".cpu", '["a.example.com/x"]').slice(0, 8), within);
}

test("every quantity of the built-in kinds is recognized, and no other string is", () => {
  const [missed, mistaken] = [new Set<string>(), new Set<string>()];
  let count = 0;
  for (const [name, schema] of Object.entries(definitions)) {
    if (schema["x-kubernetes-group-version-kind"] === undefined || schema.properties?.["metadata"] === undefined)
      continue;
    if (name.endsWith("List")) continue;
    for (const [path, isOne] of leaves(schema, [""], [name])) {
      if (path.startsWith("status.") || path.startsWith("metadata.")) continue;
      count++;
      if (isOne && !isQuantity(path)) missed.add(`${name} ${path}`);
      if (!isOne && isQuantity(path)) mistaken.add(`${name} ${path}`);
    }
  }
  assert.ok(count > 10_000, `the document was read: ${count}`);
  assert.deepEqual([...missed], []);
  assert.deepEqual([...mistaken], []);
});

test("a quantity is equal in any spelling, and a string is not", () => {
  assert.ok(isSameQuantity("spec.resources.requests.storage", "1024Mi", "1Gi"));
  assert.ok(isSameQuantity("spec.template.spec.containers[0].resources.limits.cpu", 2, "2"));
  assert.ok(!isSameQuantity("spec.resources.requests.storage", "1025Mi", "1Gi"));
  assert.ok(!isSameQuantity("data.size", "1000m", "1"));
});
