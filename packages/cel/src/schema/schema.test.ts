import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createEnv } from "../environment.ts";
import { kubernetesOptions } from "../kubernetes/versions.ts";
import type { CelResult } from "../values/value.ts";
import { CelError, CelUint } from "../values/value.ts";
import type { DeclField, DeclType } from "./decl-type.ts";
import {
  assignTypeNames,
  declList,
  declMap,
  declObject,
  declScalar,
  declSizes,
  declTypeProvider,
  withKeywordFields,
} from "./decl-type.ts";
import { escapeField, unescapeField } from "./escaping.ts";
import type { Json } from "./json.ts";
import { fromJson, toJson } from "./json.ts";

function object(fields: Record<string, DeclType>, name = "object"): DeclType {
  const entries = Object.entries(fields).map(([property, type]): [string, DeclField] => [
    escapeField(property) ?? property,
    { property, type, required: false },
  ]);
  return declObject(name, new Map(entries));
}

function evaluate(source: string, self: DeclType, json: Json): CelResult {
  const env = createEnv({ ...kubernetesOptions(), variables: { self: self.type }, types: [declTypeProvider(self)] });
  const compiled = env.compile(source);
  assert.ok(compiled.ok, compiled.ok ? "" : compiled.message);
  return compiled.expression.evaluate(new Map([["self", fromJson(json, self)]]));
}

describe("field names", () => {
  it("escapes and unescapes what a field name cannot be", () => {
    const names = {
      namespace: "__namespace__",
      "a-b": "a__dash__b",
      "x.y/z": "x__dot__y__slash__z",
      a__b: "a__underscores__b",
      int: "int",
    };
    for (const [property, field] of Object.entries(names)) {
      assert.equal(escapeField(property), field);
      assert.equal(unescapeField(field), property);
    }
  });
  it("leaves out what has no field name", () => {
    for (const property of ["", "1a", "a b", "a$", "é"]) assert.equal(escapeField(property), undefined);
    assert.equal(unescapeField("a__nope__b"), undefined);
  });
});

describe("JSON under a type", () => {
  it("decodes numbers according to the type", () => {
    const self = object({ a: declScalar("int"), b: declScalar("double"), c: declScalar("uint") }, "T");
    assert.equal(evaluate("self.a + 1", self, { a: 1 }), 2n);
    assert.equal(evaluate("self.b + 1.5", self, { b: 1 }), 2.5);
    assert.ok(evaluate("self.c", self, { c: 1 }) instanceof CelUint);
    assert.equal(evaluate("self.a", self, { a: 9223372036854775807n }), 9223372036854775807n);
  });
  it("decodes times, bytes and quantities", () => {
    const self = object(
      { d: declScalar("duration"), t: declScalar("date-time"), b: declScalar("bytes"), q: declScalar("quantity") },
      "T",
    );
    const json = { d: "90s", t: "2024-02-29T00:00:00Z", b: "aGk=", q: "1Ki" };
    assert.equal(
      evaluate("self.d.getSeconds() + self.t.getDate() + self.b.size() + self.q.asInteger()", self, json),
      1145n,
    );
  });
  it("accesses escaped fields and detects absent ones", () => {
    const self = object({ namespace: declScalar("string"), "a-b": declScalar("int") }, "T");
    assert.equal(evaluate("self.__namespace__ == 'x' && !has(self.a__dash__b)", self, { namespace: "x" }), true);
  });
  it("rejects null where the type does, as an error that can be absorbed", () => {
    const self = object({ a: declScalar("int"), b: declScalar("int", { nullable: true }) }, "T");
    assert.ok(evaluate("self.a == 1", self, { a: null }) instanceof CelError);
    assert.equal(evaluate("dyn(self.b) == null || self.a == 1", self, { a: null, b: null }), true);
  });
  it("compares sets and keyed lists without order, and merges them", () => {
    const set = declList(declScalar("string"), { listType: "set" });
    const item = object({ k: declScalar("string"), v: declScalar("int") }, "T.i");
    const keyed = declList(item, { listType: "map", mapKeys: ["k"] });
    const self = object({ s: set, t: set, a: keyed, b: keyed }, "T");
    const json = {
      s: ["x", "y"],
      t: ["y", "x"],
      a: [
        { k: "p", v: 1 },
        { k: "q", v: 2 },
      ],
      b: [
        { k: "q", v: 2 },
        { k: "p", v: 1 },
      ],
    };
    assert.equal(evaluate("self.s == self.t && self.a == self.b", self, json), true);
    assert.equal(evaluate("size(self.s + self.t) == 2 && size(self.a + self.b) == 2", self, json), true);
  });
  it("writes values as JSON", () => {
    const self = object({}, "T");
    const result = evaluate(
      "{'a': dyn([dyn(1), dyn(2.5), dyn(true), dyn(null), dyn('x')]), 'd': dyn(duration('1s')), 'b': dyn(b'hi'), 'o': dyn(optional.of(3))}",
      self,
      {},
    );
    assert.ok(!(result instanceof CelError));
    assert.deepEqual(toJson(result), { a: [1, 2.5, true, null, "x"], d: "1s", b: "aGk=", o: 3 });
  });
});

describe("types with limits", () => {
  it("names nested objects after the path to them", () => {
    const named = assignTypeNames(object({ a: declList(object({ b: declMap(object({})) })) }), "root");
    const provider = declTypeProvider(named);
    assert.ok(provider.findType("root.a.@idx"));
    assert.ok(provider.findType("root.a.@idx.b.@elem"));
    assert.equal(String(provider.findField("root.a.@idx", "b")), "map(string, root.a.@idx.b.@elem)");
  });
  it("allows reserved words as fields in policies", () => {
    const self = object({ namespace: declScalar("string") }, "T");
    const strict = createEnv({
      ...kubernetesOptions(),
      variables: { self: self.type },
      types: [declTypeProvider(self)],
    });
    const lax = createEnv({
      ...kubernetesOptions(),
      variables: { self: self.type },
      types: [withKeywordFields(declTypeProvider(self))],
    });
    assert.equal(strict.compile("self.namespace == 'x'").ok, false);
    assert.equal(lax.compile("self.namespace == 'x' && self.__namespace__ == 'x'").ok, true);
  });
  it("bounds the cost of an expression by the sizes that they allow", () => {
    const self = object({ tags: declList(declScalar("string", { maxElements: 10n }), { maxElements: 5n }) }, "T");
    const env = createEnv({ ...kubernetesOptions(), variables: { self: self.type }, types: [declTypeProvider(self)] });
    const compiled = env.compile("self.tags.all(t, t == 'x')");
    assert.ok(compiled.ok);
    assert.equal(compiled.expression.estimateCost(declSizes({ self })).max, 28n);
  });
});
