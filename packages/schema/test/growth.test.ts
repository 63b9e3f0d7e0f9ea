/** The time to validate, default and prune a value grows no faster than the value, or the work limit ends it. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";

import { formatPredicate } from "../src/structural/formats.ts";
import { applyDefaults } from "../src/structural/defaulting.ts";
import { validateListTypes } from "../src/structural/list-types.ts";
import { prune } from "../src/structural/pruning.ts";
import { compileRuleValidator } from "../src/structural/rule-validator.ts";
import type { Schema } from "../src/structural/schema.ts";
import { compileValidator } from "../src/structural/validator.ts";
import { correlate } from "../src/structural/correlation.ts";
import { growthOf } from "./growth.ts";

const names =
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn creditcard ssn hexcolor rgbcolor byte date duration datetime k8sshortname k8slongname";

/** Texts that super-linear expressions read again and again. */
const hostile: readonly ((size: number) => string)[] = [
  ...["1", "a", ".", ":", "-", "%", " ", "(", "<", '"', "@", "1.", "1:", "a.", "a-", "1h", "0h", "%41", "a@"].map(
    (part) => (size: number) => part.repeat(size / part.length),
  ),
  (size) => `${"1".repeat(size)}x`,
  (size) => `1${" ".repeat(size)}x`,
  (size) => `rgb(${" ".repeat(size)}1`,
  (size) => `2024-01-01T00:00:00.${"1".repeat(size)}`,
  (size) => `http://${"a".repeat(size)}:x`,
  (size) => `"${"a ".repeat(size / 2)}" <a@b`,
];

const item: Schema = { type: "object", properties: new Map([["name", { type: "string", default: "x" } as Schema]]) };
const mapList: Schema = { type: "array", listType: "map", listMapKeys: ["name"], items: item };
const words = (size: number): string[] => Array.from({ length: size }, (_, i) => `word-${i}`);
const items = (size: number): { name: string; more: number }[] => words(size).map((name, more) => ({ name, more }));

describe("growth", () => {
  for (const name of names.split(" ")) {
    it(`of the format ${name}`, () => {
      const predicate = formatPredicate(name);
      assert.ok(predicate);
      for (const make of hostile)
        assert.ok(growthOf({ name, size: 20_000, make, run: predicate }) <= 10, `${name} ${make(4)}`);
    });
  }
  it("of unique items", () => {
    const validate = compileValidator({ type: "array", uniqueItems: true });
    assert.ok(growthOf({ name: "strings", size: 5000, make: words, run: validate }) <= 10);
    assert.ok(growthOf({ name: "objects", size: 5000, make: items, run: validate }) <= 10);
  });
  it("of sets and list maps", () => {
    const set: Schema = { type: "array", listType: "set" };
    const twice = (size: number): string[] => [...words(size / 2), ...words(size / 2)];
    assert.ok(growthOf({ name: "set", size: 5000, make: twice, run: (v) => validateListTypes(set, v) }) <= 10);
    assert.ok(growthOf({ name: "map", size: 5000, make: items, run: (v) => validateListTypes(mapList, v) }) <= 10);
  });
  it("of enums with as many values as there are items", () => {
    const make = (size: number): { values: string[]; validate: ReturnType<typeof compileValidator> } => {
      const validate = compileValidator({ type: "array", items: { type: "string", enum: words(size) } });
      return { values: words(size), validate };
    };
    assert.ok(growthOf({ name: "enum", size: 5000, make, run: ({ values, validate }) => validate(values) }) <= 10);
    const run = ({ values, validate }: ReturnType<typeof make>): unknown =>
      validate(values.map((value) => `${value}!`));
    assert.ok(growthOf({ name: "refused", size: 2000, make, run }) <= 10);
  });
  it("of defaulting and pruning", () => {
    const list: Schema = { type: "array", items: item };
    const bare = (size: number): object[] => words(size).map(() => ({ more: 1 }));
    const make = (size: number): never => bare(size) as never;
    assert.ok(growthOf({ name: "default", size: 5000, make, run: (v) => applyDefaults(v, list) }) <= 10);
    assert.ok(growthOf({ name: "prune", size: 5000, make, run: (v) => prune(v, list, false) }) <= 10);
  });
  it("of comparisons with old values and of transition rules", () => {
    const ruled: Schema = {
      ...mapList,
      items: {
        ...item,
        validations: [{ rule: "self.name == oldSelf.name", message: "", messageExpression: "", fieldPath: "" }],
      },
    };
    const rules = compileRuleValidator(ruled, false);
    const validate = compileValidator({ ...mapList, maxItems: 1 });
    const run = (value: ReturnType<typeof items>): unknown => {
      const old = value.toReversed();
      return [rules?.(value, { old, correlation: correlate(value, old, ruled) }), validate(value, { old })];
    };
    assert.ok(growthOf({ name: "transition", size: 1000, make: items, run }) <= 10);
  });
});
