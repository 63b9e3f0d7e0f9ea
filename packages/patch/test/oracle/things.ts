/** Random objects of the made-up kind, and random sequences of requests to one object. */
import type { Json } from "@capstan/model";
import type { OpenApiSchema } from "../../src/index.ts";
import { definitions } from "./definitions.ts";
import { randomJson, randomObject, type Random } from "./random.ts";

/** One request to one object. */
export interface Step {
  readonly operation: "Apply" | "Update";
  readonly manager: string;
  readonly force?: boolean;
  readonly subresource?: string;
  /** The definitions in force, if they change during the story. */
  readonly schema?: string;
  readonly object: { readonly [key: string]: Json };
}

const words = ["x", "y", "z"];

/** A value of a schema; now and then a null or an empty container. */
export function valueOf(random: Random, schema: OpenApiSchema, depth: number): Json {
  if (random.chance(0.03)) return null;
  const name = (schema.$ref ?? schema.allOf?.[0]?.$ref)?.split("/").at(-1);
  if (name !== undefined) return namedValue(random, name, depth);
  switch (schema.type) {
    case "string":
      return schema.format === "int-or-string" ? random.pick<Json>([1, "50%"]) : random.pick(words);
    case "integer":
      return random.below(3);
    case "boolean":
      return random.chance(0.5);
    case "array":
      return listOf(random, schema, depth);
    case "object":
      return objectOf(random, schema, depth);
    default:
      return randomJson(random, 2);
  }
}

function namedValue(random: Random, name: string, depth: number): Json {
  if (name.endsWith("Quantity")) return random.pick<Json>(["1", "500m", 2]);
  if (name.endsWith("RawExtension")) return randomObject(random, 1);
  return valueOf(random, definitions[name] ?? {}, depth);
}

function listOf(random: Random, schema: OpenApiSchema, depth: number): Json {
  const items = Array.from({ length: random.below(4) }, () => valueOf(random, schema.items ?? {}, depth - 1));
  const keys = schema["x-kubernetes-list-map-keys"];
  const isSet = schema["x-kubernetes-list-type"] === "set" || schema["x-kubernetes-patch-strategy"] === "merge";
  if (keys === undefined && !isSet) return items;
  const seen = new Set<string>();
  const idOf = (item: Json) =>
    JSON.stringify(keys === undefined ? item : keys.map((key) => (item as { [key: string]: Json })[key] ?? "TCP"));
  return items.filter((item) => {
    if (item === null || (random.chance(0.97) && seen.has(idOf(item)))) return false;
    seen.add(idOf(item));
    return true;
  });
}

function objectOf(random: Random, schema: OpenApiSchema, depth: number): Json {
  const object: { [key: string]: Json } = {};
  const { properties, additionalProperties, required = [] } = schema;
  if (properties === undefined && additionalProperties === undefined) return randomObject(random, 1);
  for (const [name, member] of Object.entries(properties ?? {})) {
    if (required.includes(name)) object[name] = member.type === "integer" ? random.below(3) : random.pick(words);
    else if (depth > 0 && random.chance(0.22)) object[name] = valueOf(random, member, depth - 1);
  }
  if (typeof additionalProperties === "object") {
    for (const key of ["k1", "k2", "k3"]) {
      if (random.chance(0.5)) object[key] = valueOf(random, additionalProperties, depth - 1);
    }
  }
  return object;
}

/** An object of the kind in a version. */
export function thing(random: Random, version: string): { [key: string]: Json } {
  const definition = definitions[`dev.example.${version}.Thing`];
  const body = definition?.properties ?? {};
  const object: { [key: string]: Json } = { apiVersion: `example.dev/${version}`, kind: "Thing" };
  const metadata: { [key: string]: Json } = { name: "one", namespace: "ns" };
  if (random.chance(0.3)) metadata["labels"] = { app: random.pick(words) };
  if (random.chance(0.2)) metadata["annotations"] = { note: random.pick(words) };
  if (random.chance(0.2)) metadata["finalizers"] = [random.pick(words)];
  object["metadata"] = metadata;
  if (random.chance(0.95)) object["spec"] = objectOf(random, body["spec"] ?? {}, 4);
  if (random.chance(0.2)) object["status"] = objectOf(random, body["status"] ?? {}, 3);
  return object;
}

type Thing = { [key: string]: Json };

/** Some requests to one object: by a few managers, or by many; in several versions on request. */
export function steps(
  random: Random,
  options: { readonly versions: readonly string[]; readonly schemas: readonly string[] },
): Step[] {
  const isCrowd = random.chance(0.05);
  const made: Thing[] = [];
  return Array.from({ length: isCrowd ? 14 : 2 + random.below(5) }, (_, index) => {
    const version = random.pick(options.versions);
    const object = isCrowd ? labelled(version, index) : nextThing(random, made, version);
    made.push(object);
    return {
      operation: random.chance(isCrowd ? 0.1 : 0.65) ? "Apply" : "Update",
      manager: isCrowd ? `manager-${index}` : random.pick(["ann", "bob", "cat", "kubectl", ""]),
      ...(random.chance(0.35) && { force: true }),
      ...(random.chance(0.1) && { subresource: "status" }),
      ...(options.schemas.length > 0 && { schema: random.pick(options.schemas) }),
      object: random.chance(0.1) ? withOddMetadata(random, object, made) : object,
    };
  });
}

/** An object that gets one label more with every request, so that every manager owns something. */
function labelled(version: string, index: number): Thing {
  const labels = Object.fromEntries(Array.from({ length: index + 1 }, (_, at) => [`label-${at}`, "x"]));
  const metadata = { name: "one", namespace: "ns", labels };
  return { apiVersion: `example.dev/${version}`, kind: "Thing", metadata, spec: {} };
}

/** A new object, one that was sent before, or a similar one. */
function nextThing(random: Random, made: readonly Thing[], version: string): Thing {
  const fresh = thing(random, version);
  const earlier = made.length === 0 || random.chance(0.4) ? undefined : random.pick(made);
  if (earlier === undefined || earlier["apiVersion"] !== fresh["apiVersion"]) return fresh;
  if (random.chance(0.3)) return earlier;
  const [before, after] = [earlier["spec"] as Thing | undefined, fresh["spec"] as Thing | undefined];
  const spec: Thing = {};
  for (const [name, value] of Object.entries({ ...before, ...after })) if (random.chance(0.7)) spec[name] = value;
  return { ...earlier, spec };
}

/** What clients do to metadata: keep the last applied configuration, reset managed fields, send other ones. */
function withOddMetadata(random: Random, object: Thing, made: readonly Thing[]): Thing {
  const metadata = object["metadata"] as Thing;
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": JSON.stringify(random.pick(made)) };
  const own = { manager: "own", operation: "Update", apiVersion: "example.dev/v1", fieldsType: "FieldsV1" };
  const fieldsV1 = random.pick<Json>([
    { "f:spec": { "f:text": {} } },
    { "f:spec": { "f:selector": { "f:match": {} } } },
    { x: 1 },
  ]);
  const managedFields = random.pick<Json>([[], [{}], [{ ...own, fieldsV1 }], [{ ...own, fieldsType: "V0" }]]);
  return { ...object, metadata: random.chance(0.6) ? { ...metadata, annotations } : { ...metadata, managedFields } };
}
