/** Merging of OpenAPI documents of several servers. test/aggregated-openapi.test.ts compares whole documents with kube-apiserver. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Json } from "@capstan/model";
import { keepPaths, mergeDocuments } from "./merge.ts";

const kindsKey = "x-kubernetes-group-version-kind";

function using(name: string): Json {
  return { get: { responses: { "200": { schema: { $ref: `#/definitions/${name}` } } } } };
}

test("definitions that differ only in their kinds are merged, kinds in order", () => {
  const of = (group: string): Json => ({ type: "object", [kindsKey]: [{ group, version: "v1", kind: "Options" }] });
  const own = { paths: {}, definitions: { Options: of("m") } };
  const merged = mergeDocuments(own, [
    { paths: { "/b": using("Options") }, definitions: { Options: of("z") } },
    { paths: { "/c": using("Options") }, definitions: { Options: of("a") } },
  ]);
  const { Options } = merged.definitions as { Options: { [kindsKey]: readonly { group: string }[] } };
  assert.deepEqual(
    Options[kindsKey].map(({ group }) => group),
    ["a", "m", "z"],
  );
});

test("differences in descriptions are ignored for own definitions only", () => {
  const own = {
    paths: {},
    definitions: { A: { description: "own", type: "object", properties: { a: { type: "string" } } } },
  };
  const described = { description: "d", type: "object", properties: { a: { type: "string", description: "e" } } };
  const same = mergeDocuments(own, [{ paths: { "/a": using("A") }, definitions: { A: described } }]);
  assert.deepEqual(Object.keys(same.definitions as object), ["A"]);
  const more = { ...described, properties: { ...described.properties, description: { type: "string" } } };
  const other = mergeDocuments(own, [{ paths: { "/a": using("A") }, definitions: { A: more } }]);
  assert.deepEqual(Object.keys(other.definitions as object), ["A", "A_v2"]);
  assert.deepEqual(other.paths, { "/a": using("A_v2") });
});

test("a renamed definition gets a free name, and equal ones share it", () => {
  const own = { paths: {}, definitions: { A: { type: "string" }, A_v2: { type: "number" } } };
  const first = { paths: { "/a": using("A") }, definitions: { A: { type: "boolean" }, A_v3: { type: "integer" } } };
  const second = { paths: { "/b": using("A") }, definitions: { A: { type: "boolean" } } };
  const merged = mergeDocuments(own, [first, second]);
  assert.deepEqual(Object.keys(merged.definitions as object), ["A", "A_v2", "A_v3", "A_v4"]);
  assert.deepEqual(merged.paths, { "/a": using("A_v4"), "/b": using("A_v4") });
});

test("existing paths win, and definitions used only by the others are dropped", () => {
  const own = { paths: { "/a": using("A") }, definitions: { A: { type: "string" } } };
  const other = { paths: { "/a": using("B"), "/b": using("C") }, definitions: { B: {}, C: {}, D: {} } };
  const merged = mergeDocuments(own, [other]);
  assert.deepEqual(merged.paths, { "/a": using("A"), "/b": using("C") });
  assert.deepEqual(Object.keys(merged.definitions as object), ["A", "C", "D"]);
});

test("definitions are followed through parameters and cycles", () => {
  const document = {
    paths: { "/a": { parameters: [{ $ref: "#/parameters/p" }] }, "/b": using("Z") },
    parameters: { p: { in: "body", name: "body", schema: { $ref: "#/definitions/X" } } },
    definitions: { X: { items: { $ref: "#/definitions/Y" } }, Y: { items: { $ref: "#/definitions/X" } }, Z: {} },
  };
  assert.deepEqual(Object.keys(keepPaths(document, (path) => path === "/a").definitions as object), ["X", "Y"]);
});
