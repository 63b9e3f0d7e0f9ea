/** Every schema keyword, with valid and invalid values. */
import { defineTopic, post, type Step } from "../../case.ts";
import { define, specOf, tries, widgets, type Part } from "./widget.ts";

type Tried = readonly [name: string, schema: Part, values: readonly unknown[]];

const kw: readonly Tried[] = [
  ["minLength", { type: "string", minLength: 2, maxLength: 4 }, ["a", "ab", "abcde", "日本", "日本語日本"]],
  ["pattern", { type: "string", pattern: "^[a-z]+$" }, ["abc", "ABC", ""]],
  ["enum string", { type: "string", enum: ["a", "b"] }, ["a", "c", ""]],
  ["enum number", { type: "integer", enum: [1, 2] }, [1, 3]],
  ["enum mixed", { "x-kubernetes-preserve-unknown-fields": true, enum: [1, "a", { b: 1 }] }, [1, "a", { b: 1 }, "z"]],
  ["min max", { type: "integer", minimum: 1, maximum: 5 }, [0, 1, 5, 6, 1.5, "x"]],
  [
    "exclusive",
    { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    [1, 1.1, 5, 4.9],
  ],
  ["multipleOf", { type: "number", multipleOf: 0.5 }, [1, 1.5, 1.3]],
  [
    "items",
    { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    [[], ["a"], ["a", "b", "c"], [1], "x", {}],
  ],
  [
    "map",
    { type: "object", additionalProperties: { type: "integer" }, minProperties: 1, maxProperties: 2 },
    [{}, { a: 1 }, { a: 1, b: 2, c: 3 }, { a: "x" }],
  ],
  [
    "required",
    { type: "object", required: ["a", "b"], properties: { a: { type: "string" }, b: { type: "string" } } },
    [{}, { a: "x" }, { a: "x", b: null }],
  ],
  ["nullable", { type: "string", nullable: true }, [null, "a", 1]],
  ["not nullable", { type: "string" }, [null]],
  ["nullable default", { type: "string", nullable: true, default: "d" }, [null, undefined]],
  ["default drop null", { type: "string", default: "d" }, [null, undefined]],
  [
    "default object",
    { type: "object", default: {}, properties: { a: { type: "integer", default: 3 } } },
    [undefined, {}, { a: 1 }],
  ],
  [
    "default in items",
    { type: "array", items: { type: "object", properties: { a: { type: "integer", default: 3 } } } },
    [[{}, { a: 1 }, { b: 2 }]],
  ],
  ["int or string", { "x-kubernetes-int-or-string": true }, [1, "a", 1.5, true]],
  ["int or string pattern", { "x-kubernetes-int-or-string": true, pattern: "^[0-9]+%$" }, [1, "10%", "x"]],
  ["format int32", { type: "integer", format: "int32" }, [1, 2147483648, -2147483649]],
  ["format int64", { type: "integer", format: "int64" }, [1, 2147483648]],
  ["format float", { type: "number", format: "float" }, [1.5, 1e39]],
  ["format date-time", { type: "string", format: "date-time" }, ["2020-01-01T00:00:00Z", "x", "2020-01-01"]],
  ["format date", { type: "string", format: "date" }, ["2020-01-01", "x"]],
  ["format duration", { type: "string", format: "duration" }, ["1h", "x", "3 days"]],
  ["format email", { type: "string", format: "email" }, ["a@b.co", "x"]],
  ["format ipv4", { type: "string", format: "ipv4" }, ["1.2.3.4", "x", "::1"]],
  ["format ipv6", { type: "string", format: "ipv6" }, ["1.2.3.4", "x", "::1"]],
  ["format cidr", { type: "string", format: "cidr" }, ["1.2.3.4/8", "x"]],
  ["format uri", { type: "string", format: "uri" }, ["http://a.b/c", "x", "://"]],
  ["format hostname", { type: "string", format: "hostname" }, ["a.b", "a_b"]],
  ["format uuid", { type: "string", format: "uuid" }, ["a", "0f8fad5b-d9cb-469f-a165-70867728950e"]],
  ["format byte", { type: "string", format: "byte" }, ["YQ==", "!"]],
  ["format password", { type: "string", format: "password" }, ["YQ==", "!"]],
  ["format mac", { type: "string", format: "mac" }, ["aa:bb:cc:dd:ee:ff", "!"]],
  ["format unknown", { type: "string", format: "nope" }, ["x"]],
  ["anyOf", { type: "integer", anyOf: [{ minimum: 10 }, { maximum: 2 }] }, [1, 5, 11]],
  ["oneOf", { type: "integer", oneOf: [{ minimum: 3 }, { maximum: 5 }] }, [1, 4, 11]],
  ["allOf", { type: "integer", allOf: [{ minimum: 3 }, { maximum: 5 }] }, [1, 4, 11]],
  ["not", { type: "integer", not: { enum: [3] } }, [3, 4]],
  [
    "oneOf required",
    {
      type: "object",
      properties: { a: { type: "string" }, b: { type: "string" } },
      oneOf: [{ required: ["a"] }, { required: ["b"] }],
    },
    [{}, { a: "x" }, { a: "x", b: "y" }],
  ],
  [
    "list map",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k"],
      items: { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "integer" } } },
    },
    [[{ k: "a" }, { k: "b" }], [{ k: "a" }, { k: "a" }], [{}]],
  ],
  [
    "list map default key",
    {
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["k", "p"],
      items: {
        type: "object",
        required: ["k"],
        properties: { k: { type: "integer" }, p: { type: "string", default: "TCP" } },
      },
    },
    [
      [{ k: 1 }, { k: 1, p: "UDP" }],
      [{ k: 1 }, { k: 1 }],
    ],
  ],
  [
    "list set",
    { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
    [
      ["a", "b"],
      ["a", "a"],
      ["a", "b", "a", "b"],
    ],
  ],
  ["list atomic", { type: "array", "x-kubernetes-list-type": "atomic", items: { type: "string" } }, [["a", "a"]]],
  [
    "preserve",
    { type: "object", "x-kubernetes-preserve-unknown-fields": true, properties: { a: { type: "integer" } } },
    [{ a: 1, b: { c: [1, null] } }, { a: "x" }],
  ],
  [
    "embedded",
    { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    [
      { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "x", nope: 1, labels: { a: 1 } } },
      { kind: "A" },
      {},
      { apiVersion: "a/b/c", kind: "K_", metadata: { name: "Bad_" } },
    ],
  ],
  [
    "embedded pruned",
    {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: { spec: { type: "object", properties: { a: { type: "string" } } } },
    },
    [
      {
        apiVersion: "v1",
        kind: "X",
        metadata: { name: "x", creationTimestamp: null },
        spec: { a: "b", c: "d" },
        zzz: 1,
      },
    ],
  ],
  [
    "pruning deep",
    {
      type: "object",
      properties: {
        a: { type: "object", properties: { b: { type: "string" } } },
        l: { type: "array", items: { type: "object", properties: { b: { type: "string" } } } },
      },
    },
    [{ a: { b: "x", c: 1 }, z: 1, l: [{ b: "1", q: 2 }] }],
  ],
  ["boolean", { type: "boolean" }, [true, "true", 1]],
  ["wrong types", { type: "object", properties: { a: { type: "string" } } }, ["x", 1, [], true, null]],
  ["big ints", { type: "integer" }, ["9007199254740993"]],
];

const written = (number: string): Step =>
  post(
    `${widgets}?dryRun=All`,
    `{"apiVersion":"{ns}.dev/v1","kind":"Widget","metadata":{"name":"w"},"spec":{"x":${number}}}`,
  );
const numbers = ["1", "1.0", "1e3", "9007199254740993", "0.1", "1.10", "-0", "1e-7", "1e21", "1e20", "0.0000001"];
const integers = ["1", "1.0", "1e3", "9007199254740993", "9223372036854775808", "1.5", "-0", "100000000000000000000"];

export const customKeywords = defineTopic("custom-keywords", {
  ...Object.fromEntries(kw.map(([name, schema, values]) => [name, [define(specOf({ x: schema })), ...tries(values)]])),
  ...Object.fromEntries(
    ["dependencies", "definitions", "patternProperties"].map((keyword) => [
      `${keyword}, empty`,
      [
        {
          ...define(specOf({ x: { type: "object", [keyword]: {} } })),
          quiet: false,
          settle: 0,
          only: ["status", "message"],
        },
      ],
    ]),
  ),
  numbers: [define(specOf({ x: { type: "number" } })), ...numbers.map(written)],
  integers: [define(specOf({ x: { type: "integer" } })), ...integers.map(written)],
});
