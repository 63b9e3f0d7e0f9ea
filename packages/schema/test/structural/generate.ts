/** Generates random schemas and objects: mostly near the valid ones, so that every check both passes and fails. */
import type { Json } from "@capstan/model";

import type { Random } from "./random.ts";

type JsonSchema = { [key: string]: Json };

const names = ["alpha", "beta", "gamma", "delta"];
const formats = [
  "date",
  "date-time",
  "duration",
  "email",
  "hostname",
  "ipv4",
  "ipv6",
  "cidr",
  "mac",
  "uri",
  "uuid",
  "byte",
  "k8s-short-name",
  "k8s-long-name",
  "hexcolor",
  "isbn",
  "no-such-format",
];
const texts = [
  "",
  "a",
  "abc",
  "hello world",
  "ünïcödé",
  "2024-02-29",
  "2023-02-29",
  "2024-01-01T00:00:00Z",
  "1h30m",
  "3 days",
  "a@b.co",
  "example.com",
  "10.0.0.1",
  "010.0.0.1",
  "fe80::1",
  "10.0.0.0/8",
  "00:11:22:33:44:55",
  "http://example.com/x?y=z",
  "0f8fad5b-d9cb-469f-a165-70867728950e",
  "aGVsbG8=",
  "#fff",
  "978-0321751041",
  "long text that goes on and on",
  "😀😀",
];
const numbers = [0, 1, -1, 2, 3, 5, 10, 100, 2147483648, -2147483649, 0.5, 1.5, 2.5, 1e21, 1234567.5];

function schemaOfType(random: Random, depth: number): JsonSchema {
  const kind = random.int(depth <= 0 ? 6 : 10);
  switch (kind) {
    case 0:
    case 1:
      return stringSchema(random);
    case 2:
      return numberSchema(random, "integer");
    case 3:
      return numberSchema(random, "number");
    case 4:
      return { type: "boolean" };
    case 5:
      return random.chance(0.5)
        ? { "x-kubernetes-int-or-string": true, ...(random.chance(0.3) ? { pattern: "^[0-9]+%?$" } : {}) }
        : { "x-kubernetes-preserve-unknown-fields": true, ...(random.chance(0.5) ? { type: "object" } : {}) };
    case 6:
      return arraySchema(random, depth);
    case 7:
      return mapSchema(random, depth);
    case 8:
      return random.chance(0.3) ? embeddedSchema(random) : objectSchema(random, depth);
    default:
      return objectSchema(random, depth);
  }
}

function stringSchema(random: Random): JsonSchema {
  const schema: JsonSchema = { type: "string" };
  if (random.chance(0.3)) schema["format"] = random.pick(formats);
  if (random.chance(0.2)) schema["minLength"] = random.int(4);
  if (random.chance(0.2)) schema["maxLength"] = random.int(12);
  if (random.chance(0.2)) schema["pattern"] = random.pick(["^[a-z]+$", "b", "^\\d{4}-", "(a|b)*c", "^\\p{L}+$"]);
  if (random.chance(0.2)) schema["enum"] = ["a", "abc", random.pick(texts)];
  return schema;
}

function numberSchema(random: Random, type: "integer" | "number"): JsonSchema {
  const schema: JsonSchema = { type };
  if (random.chance(0.3)) schema["format"] = random.pick(["int32", "int64", "float", "double", "other"]);
  if (random.chance(0.3))
    schema["minimum"] = random.pick(type === "integer" && random.chance(0.8) ? [0, 1, -5] : [0.5, 1, 2.5]);
  if (random.chance(0.3))
    schema["maximum"] = random.pick(type === "integer" && random.chance(0.8) ? [5, 10, 100] : [4.5, 10, 1234567.5]);
  if (random.chance(0.15)) schema["exclusiveMinimum"] = true;
  if (random.chance(0.15)) schema["exclusiveMaximum"] = true;
  if (random.chance(0.2)) schema["multipleOf"] = random.pick([2, 5, 0.5, 0.1]);
  if (random.chance(0.15)) schema["enum"] = [1, 2, type === "number" ? 2.5 : 3];
  return schema;
}

function arraySchema(random: Random, depth: number): JsonSchema {
  const schema: JsonSchema = { type: "array", items: schemaOfType(random, depth - 1) };
  if (random.chance(0.2)) schema["minItems"] = random.int(3);
  if (random.chance(0.2)) schema["maxItems"] = random.int(4);
  const list = random.int(4);
  if (list === 0) {
    schema["x-kubernetes-list-type"] = "set";
    schema["items"] = { type: random.pick(["string", "integer"]) };
  } else if (list === 1) {
    const keys = random.chance(0.3) ? ["name", "port"] : ["name"];
    schema["x-kubernetes-list-type"] = "map";
    schema["x-kubernetes-list-map-keys"] = keys;
    schema["items"] = {
      type: "object",
      required: keys,
      properties: { name: { type: "string" }, port: { type: "integer" }, value: schemaOfType(random, depth - 2) },
    };
  }
  return schema;
}

function mapSchema(random: Random, depth: number): JsonSchema {
  const schema: JsonSchema = { type: "object", additionalProperties: schemaOfType(random, depth - 1) };
  if (random.chance(0.2)) schema["minProperties"] = random.int(3);
  if (random.chance(0.2)) schema["maxProperties"] = random.int(4);
  return schema;
}

function embeddedSchema(random: Random): JsonSchema {
  return {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    ...(random.chance(0.5)
      ? { "x-kubernetes-preserve-unknown-fields": true }
      : { properties: { spec: { type: "object", properties: { alpha: { type: "string" } } } } }),
  };
}

function objectSchema(random: Random, depth: number): JsonSchema {
  const properties: { [key: string]: Json } = {};
  for (const name of names) if (random.chance(0.6)) properties[name] = schemaOfType(random, depth - 1);
  const schema: JsonSchema = { type: "object", properties };
  const present = Object.keys(properties);
  if (present.length > 0 && random.chance(0.3)) schema["required"] = [random.pick(present)];
  if (random.chance(0.1)) schema["x-kubernetes-preserve-unknown-fields"] = true;
  if (present.length > 1 && random.chance(0.25)) {
    const [first = "", second = ""] = present;
    schema[random.pick(["anyOf", "oneOf", "allOf"])] = [{ required: [first] }, { required: [second] }];
  }
  if (present.length > 0 && random.chance(0.1)) schema["not"] = { required: [random.pick(present)] };
  for (const name of present) decorate(random, properties[name] as JsonSchema);
  return schema;
}

function decorate(random: Random, schema: JsonSchema): void {
  if (random.chance(0.15)) schema["nullable"] = true;
  if (random.chance(0.2)) schema["default"] = objectOf(random, schema);
}

/** A schema for the whole resource. */
export function randomSchema(random: Random): JsonSchema {
  return {
    type: "object",
    properties: {
      spec: { ...objectSchema(random, 3) },
      ...(random.chance(0.4) ? { status: objectSchema(random, 2) } : {}),
    },
    ...(random.chance(0.2) ? { required: ["spec"] } : {}),
  };
}

const stray: readonly Json[] = [null, "text", 7, 1.5, true, [], {}, [1], { extra: 1 }];

/** A value that mostly fits a schema. */
export function objectOf(random: Random, schema: JsonSchema): Json {
  if (random.chance(0.06)) return random.pick(stray);
  if (schema["x-kubernetes-int-or-string"] === true)
    return random.chance(0.5) ? random.pick(numbers) : random.pick(["5%", "x"]);
  switch (schema["type"]) {
    case "string":
      if (Array.isArray(schema["enum"]) && random.chance(0.6)) return random.pick(schema["enum"] as readonly Json[]);
      return random.pick(texts);
    case "integer":
      return random.chance(0.85) ? random.pick(numbers.filter(Number.isInteger)) : random.pick(numbers);
    case "number":
      return random.pick(numbers);
    case "boolean":
      return random.chance(0.5);
    case "array":
      return arrayOf(random, schema["items"] as JsonSchema);
    case "object":
      return fieldsOf(random, schema);
    default:
      return random.pick(stray);
  }
}

function arrayOf(random: Random, items: JsonSchema): Json {
  const list: Json[] = [];
  for (let i = random.int(4); i > 0; i--)
    list.push(random.chance(0.2) && list.length > 0 ? (list[0] ?? null) : objectOf(random, items));
  return list;
}

const kinds = ["Pod", "pod_", "", 5, "ConfigMap"];

function fieldsOf(random: Random, schema: JsonSchema): Json {
  const fields: { [key: string]: Json } = {};
  const properties = (schema["properties"] ?? {}) as { [key: string]: JsonSchema };
  for (const [name, property] of Object.entries(properties))
    if (random.chance(0.7)) fields[name] = objectOf(random, property);
  const additional = schema["additionalProperties"] as JsonSchema | undefined;
  if (additional !== undefined)
    for (let i = random.int(4); i > 0; i--) fields[random.pick(names) + i] = objectOf(random, additional);
  if (random.chance(0.1)) fields["unknown"] = { nested: 1 };
  if (schema["x-kubernetes-embedded-resource"] === true) {
    if (random.chance(0.8)) fields["apiVersion"] = random.pick(["v1", "apps/v1", "a/b/c", "", 3]);
    if (random.chance(0.8)) fields["kind"] = random.pick(kinds);
    if (random.chance(0.7)) fields["metadata"] = random.pick(metadatas);
  }
  return fields;
}

const metadatas: readonly Json[] = [
  {},
  { name: "x" },
  { name: "a/b", labels: { "bad key!": "v" } },
  { name: "x", labels: { a: "b" }, bogus: 1 },
  { name: "x", namespace: "Bad_NS" },
  { labels: { a: 5 } },
  { generateName: "x%", finalizers: ["no good"] },
  { annotations: { "a/b/c": "x" }, creationTimestamp: null },
  { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "p" }] },
  "nope",
];

/** An object of the resource, with a name. */
export function randomObject(random: Random, schema: JsonSchema): Json {
  const fields = fieldsOf(random, schema) as { [key: string]: Json };
  return { apiVersion: "example.com/v1", kind: "Widget", metadata: { name: "w", namespace: "default" }, ...fields };
}

/** The object with other values in some places. */
export function changed(random: Random, object: Json, schema: JsonSchema): Json {
  const other = randomObject(random, schema) as { [key: string]: Json };
  const base = object as { [key: string]: Json };
  const spec = mix(random, base["spec"] ?? null, other["spec"] ?? null);
  return {
    ...base,
    metadata: { ...(base["metadata"] as object), resourceVersion: "1" },
    ...(spec === null ? {} : { spec }),
  };
}

function mix(random: Random, a: Json, b: Json): Json {
  if (
    a === null ||
    b === null ||
    typeof a !== "object" ||
    typeof b !== "object" ||
    Array.isArray(a) ||
    Array.isArray(b)
  )
    return random.chance(0.7) ? a : b;
  const mixed: { [key: string]: Json } = { ...(a as { [key: string]: Json }) };
  for (const [key, value] of Object.entries(b as { [key: string]: Json })) {
    const own = mixed[key];
    mixed[key] = own === undefined ? value : mix(random, own, value);
    if (own === undefined && random.chance(0.6)) delete mixed[key];
  }
  return mixed;
}
