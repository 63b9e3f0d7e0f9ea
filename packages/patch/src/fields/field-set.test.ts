import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  differenceOf,
  fieldSetOf,
  formatPath,
  intersectionOf,
  isSameSet,
  isSubset,
  leavesOf,
  pathsOf,
  recursiveDifferenceOf,
  unionOf,
  type FieldPath,
  type FieldSet,
} from "./field-set.ts";
import { decodeFields, encodeFields } from "./fields-v1.ts";

const steps = ["f:a", "f:b", "f:b-c", 'k:{"name":"x"}', 'k:{"name":"y","port":80}', 'v:"z"', "v:3", "v:true", "i:0"];
const path: fc.Arbitrary<string[]> = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 4 });
const paths: fc.Arbitrary<string[][]> = fc.array(path, { maxLength: 8 });

const keysOf = (set: FieldSet): Set<string> => new Set(pathsOf(set).map((one) => one.join("\0")));
const keysFrom = (list: readonly FieldPath[]): Set<string> => new Set(list.map((one) => one.join("\0")));

test("sets of paths behave as sets", () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const [a, b] = [fieldSetOf(...left), fieldSetOf(...right)];
      const [ka, kb] = [keysFrom(left), keysFrom(right)];
      assert.deepEqual(keysOf(a), ka);
      assert.deepEqual(keysOf(unionOf(a, b)), ka.union(kb));
      assert.deepEqual(keysOf(intersectionOf(a, b)), ka.intersection(kb));
      assert.deepEqual(keysOf(differenceOf(a, b)), ka.difference(kb));
      assert.equal(isSubset(a, b), ka.isSubsetOf(kb));
      assert.equal(isSameSet(a, b), ka.symmetricDifference(kb).size === 0);
    }),
  );
});

test("a recursive difference includes what is below, leaves have nothing below", () => {
  fc.assert(
    fc.property(paths, paths, (left, right) => {
      const isBelow = (one: FieldPath, list: readonly FieldPath[]) =>
        list.some((other) => other.length <= one.length && other.every((step, at) => step === one[at]));
      const rest = left.filter((one) => !isBelow(one, right));
      assert.deepEqual(keysOf(recursiveDifferenceOf(fieldSetOf(...left), fieldSetOf(...right))), keysFrom(rest));
      const leaves = left.filter((one) => !left.some((other) => other.length > one.length && isBelow(other, [one])));
      assert.deepEqual(keysOf(leavesOf(fieldSetOf(...left))), keysFrom(leaves));
    }),
  );
});

test("FieldsV1 round-trips a set", () => {
  fc.assert(
    fc.property(paths, (list) => {
      const set = fieldSetOf(...list);
      const read = decodeFields(JSON.parse(JSON.stringify(encodeFields(set))));
      assert.ok(!("error" in read) && isSameSet(read, set));
    }),
  );
});

test("FieldsV1 is sorted: fields, keys, values, positions", () => {
  const set = fieldSetOf(
    ["i:1"],
    ['v:"b"'],
    ["v:10"],
    ["v:9"],
    ['k:{"name":"b"}'],
    ['k:{"name":"a b"}'],
    ["f:z"],
    ["f:a", "f:x"],
    ["f:a"],
  );
  const expected =
    '{"f:a":{".":{},"f:x":{}},"f:z":{},"k:{\\"name\\":\\"a b\\"}":{},"k:{\\"name\\":\\"b\\"}":{},"v:9":{},"v:10":{},"v:\\"b\\"":{},"i:1":{}}';
  assert.equal(JSON.stringify(encodeFields(set)), expected);
});

test("steps are read in any form, and unknown kinds are skipped", () => {
  const read = decodeFields({ 'k:{"port":80, "name":"<a>"}': {}, "x:y": { "f:a": {} }, "f:s": { ".": {}, "f:t": {} } });
  assert.ok(!("error" in read));
  assert.deepEqual(pathsOf(read).map(formatPath), [".s", '[name="<a>",port=80]', ".s.t"]);
  assert.ok("error" in decodeFields({ nonsense: {} }));
});
