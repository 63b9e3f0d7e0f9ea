import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { defineResource } from "../resource.ts";
import { s } from "../s.ts";
import { arbitraryOf, invalidArbitraryOf } from "./index.ts";

/** Every keyword of the schema language, with limits and a rule. */
const Thing = defineResource({
  group: "example.com",
  version: "v1",
  kind: "Thing",
  spec: s.object({
    name: s.string().min(2).max(9),
    code: s.string().pattern("^[a-z]+-[0-9]{2}$"),
    size: s.int32().min(1).max(9),
    share: s.number().min(0).max(1),
    big: s.int64(),
    zone: s.enum("a", "b"),
    on: s.boolean().default(true),
    since: s.timestamp().optional(),
    every: s.duration().optional(),
    memory: s.quantity(),
    port: s.intOrString(),
    tags: s.array(s.string()).set().min(1).max(3),
    parts: s.array(s.object({ name: s.string(), count: s.int32() })).map("name"),
    labels: s.record(s.string()),
    where: s.oneOf({ disk: s.string(), net: s.object({ host: s.string() }) }),
    selector: s.labelSelector().optional(),
    extra: s.unknown(),
    low: s.int32().min(0).max(9),
    high: s.int32().min(0).max(9),
  }),
  rules: [s.rule("self.low <= self.high", "low is at most high")],
});

test("drawn objects fit the schema and its rules, in all their variety", () => {
  const zones = new Set<string>();
  const ways = new Set<string>();
  fc.assert(
    fc.property(arbitraryOf(Thing), (object) => {
      assert.deepEqual(Thing.validate(object), []);
      const { low, high, zone, where } = object.spec;
      assert.ok(low <= high);
      zones.add(zone);
      ways.add(Object.keys(where).join());
    }),
    { numRuns: 300 },
  );
  assert.deepEqual(
    [[...zones].sort(), [...ways].sort()],
    [
      ["a", "b"],
      ["disk", "net"],
    ],
  );
});

test("invalid objects are rejected, for many different reasons", () => {
  const fields = new Set<string>();
  fc.assert(
    fc.property(invalidArbitraryOf(Thing), (object) => {
      const [first] = Thing.validate(object);
      assert.ok(first !== undefined);
      fields.add(first.field.replaceAll(/\[.*/gu, ""));
    }),
    { numRuns: 500 },
  );
  for (const field of ["spec.name", "spec.size", "spec.tags", "spec.where", "spec.memory", "spec.parts"]) {
    assert.ok(fields.has(field), `${field} was never spoiled: ${[...fields].join(" ")}`);
  }
});

test("types follow from the schema", () => {
  fc.assert(
    fc.property(arbitraryOf(Thing, { namespace: "team" }), ({ metadata, spec }) => {
      const size: number = spec.size;
      const zone: "a" | "b" = spec.zone;
      assert.ok(size > 0 && zone.length === 1 && metadata.namespace === "team");
    }),
    { numRuns: 5 },
  );
});

test("rules that hardly any object satisfies are reported instead of an endless search", () => {
  const Pair = defineResource({
    group: "example.com",
    version: "v1",
    kind: "Pair",
    spec: s.object({ a: s.int32().min(1000), b: s.int32().min(1000) }),
    rules: [s.rule("self.b == self.a * 2 + 1 && self.a % 7919 == 13", "b follows a")],
  });
  assert.throws(() => fc.sample(arbitraryOf(Pair), { numRuns: 1, seed: 1 }), {
    code: "BadRule",
    message: /^Pair: no object that keeps the rules was among 10000 /u,
  });
});
