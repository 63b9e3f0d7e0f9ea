import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonValue } from "../builtin/draft.ts";
import { GoReader } from "./go-codec.ts";
import { goTypeOf, type GoStruct } from "./go-type.ts";
import { parseJsonLiterals } from "./json-text.ts";
import { StrictProblems } from "./strict.ts";

function struct(apiVersion: string, kind: string): GoStruct {
  const found = goTypeOf(apiVersion, kind);
  assert.ok(found !== undefined);
  return found;
}

function read(apiVersion: string, kind: string, value: JsonValue, problems?: StrictProblems): unknown {
  return new GoReader(problems).readObject(struct(apiVersion, kind), value);
}

test("writes the zeros that Go writes, and no others", () => {
  assert.deepEqual(read("v1", "Pod", {}), { metadata: {}, spec: { containers: null }, status: {} });
  assert.deepEqual(read("rbac.authorization.k8s.io/v1", "Role", {}), { metadata: {}, rules: null });
  assert.deepEqual(read("v1", "ConfigMap", { data: {}, immutable: false }), { metadata: {}, immutable: false });
});

test("keeps the order of Go's structs", () => {
  const object = read("v1", "ConfigMap", { data: { b: "1", a: "2" }, metadata: { labels: { x: "1" }, name: "a" } });
  assert.equal(JSON.stringify(object), '{"metadata":{"name":"a","labels":{"x":"1"}},"data":{"a":"2","b":"1"}}');
});

test("normalizes quantities and times", () => {
  const quota = read("v1", "ResourceQuota", { spec: { hard: { cpu: "1000m", memory: 1024 } } });
  assert.deepEqual(quota, { metadata: {}, spec: { hard: { cpu: "1", memory: "1024" } }, status: {} });
  const meta = read("v1", "ConfigMap", { metadata: { creationTimestamp: "2020-01-01T01:00:00+01:00" } });
  assert.deepEqual(meta, { metadata: { creationTimestamp: "2020-01-01T00:00:00Z" } });
});

test("finds unknown fields, also inside lists", () => {
  const problems = new StrictProblems();
  read("v1", "Pod", { foo: 1, spec: { containers: [{ name: "a", bar: 2 }] } }, problems);
  assert.deepEqual(problems.messages, ['unknown field "foo"', 'unknown field "spec.containers[0].bar"']);
});

test("a map may hold a field called __proto__", () => {
  const value = JSON.parse('{"data":{"__proto__":"x"}}') as JsonValue;
  assert.equal(JSON.stringify(read("v1", "ConfigMap", value)), '{"metadata":{},"data":{"__proto__":"x"}}');
});

test("continues after a wrong type and reports the first one", () => {
  assert.throws(() => read("v1", "ConfigMap", { metadata: { name: 1 }, data: { x: 2 } }), {
    message: "json: cannot unmarshal number into Go struct field ObjectMeta.metadata.name of type string",
  });
});

test("integers out of range are rejected in text and truncated in converted values", () => {
  const lease = (seconds: string): JsonValue => parseJsonLiterals(`{"spec":{"leaseDurationSeconds":${seconds}}}`);
  const type = struct("coordination.k8s.io/v1", "Lease");
  for (const text of ["1.0", "1e2", "1e400", "2147483648", "9223372036854775808"]) {
    const message = `json: cannot unmarshal number ${text} into Go struct field LeaseSpec.spec.leaseDurationSeconds of type int32`;
    assert.throws(() => new GoReader(undefined, "text").readObject(type, lease(text)), { message });
  }
  const cut = new GoReader(undefined, "values").readObject(type, lease("2147483648"));
  assert.deepEqual(cut, { metadata: {}, spec: { leaseDurationSeconds: -(2 ** 31) } });
  assert.deepEqual(read("apps/v1", "ControllerRevision", parseJsonLiterals('{"revision":9223372036854775807}')), {
    metadata: {},
    data: null,
    revision: 2n ** 63n - 1n,
  });
});

test("base64 is normalized to its canonical form", () => {
  assert.deepEqual(read("v1", "Secret", { data: { a: "YW\n==", b: "YR==" } }), {
    metadata: {},
    data: { a: "YQ==", b: "YQ==" },
  });
});
