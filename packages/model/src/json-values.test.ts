/** Equality, copies, freezing and order of JSON values, as laws over random values. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { compareJson, toCanonicalJson } from "./canonical.ts";
import { cloneJson } from "./clone.ts";
import { isDeepEqual } from "./equality.ts";
import { deepFreeze } from "./frozen.ts";

/** Parsing turns all values into plain objects, and into numbers that JSON can distinguish. */
const json = fc.json().map((text) => JSON.parse(text.replaceAll("-0", "0")) as unknown);

test("equality agrees with Node's on JSON values", () => {
  fc.assert(fc.property(json, json, (a, b) => isDeepEqual(a, b) === isDeepStrictEqual(a, b)));
});

test("an undefined field counts as absent", () => {
  assert.ok(isDeepEqual({ a: 1, b: undefined }, { a: 1 }));
  assert.ok(isDeepEqual({ a: 1 }, { a: 1, b: undefined }));
  assert.ok(!isDeepEqual({ a: 1, b: undefined }, { a: 1, c: 2 }));
  assert.ok(!isDeepEqual({ a: undefined, toString: 1 }, { b: 1 }));
});

test("a copy equals its original and shares nothing with it", () => {
  fc.assert(
    fc.property(json, (value) => {
      deepFreeze(value);
      const copy: unknown = cloneJson(value);
      assert.deepEqual(copy, value);
      if (typeof value === "object" && value !== null) {
        assert.notEqual(copy, value);
        assert.ok(Object.isFrozen(value) && !Object.isFrozen(copy));
      }
    }),
  );
});

test("a key named __proto__ is copied like any other", () => {
  const copy: object = cloneJson(JSON.parse('{"__proto__":{"polluted":true}}') as object);
  assert.equal(JSON.stringify(copy), '{"__proto__":{"polluted":true}}');
  assert.equal(Object.getPrototypeOf(copy), Object.prototype);
});

test("the canonical text does not depend on the order of fields", () => {
  assert.equal(toCanonicalJson({ b: [{ d: 1, c: null }], a: "x" }), '{"a":"x","b":[{"c":null,"d":1}]}');
  fc.assert(fc.property(json, json, (a, b) => (toCanonicalJson(a) === toCanonicalJson(b)) === isDeepEqual(a, b)));
});

test("the order of values is total and agrees with equality", () => {
  fc.assert(
    fc.property(json, json, json, (a, b, c) => {
      assert.equal(Math.sign(compareJson(a, b)), -Math.sign(compareJson(b, a)) + 0);
      assert.equal(compareJson(a, b) === 0, isDeepEqual(a, b));
      if (compareJson(a, b) <= 0 && compareJson(b, c) <= 0) assert.ok(compareJson(a, c) <= 0);
    }),
  );
});
