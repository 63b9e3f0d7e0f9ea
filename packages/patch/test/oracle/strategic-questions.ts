/** Inputs about strategic merge patches of built-in kinds. */
import type { Json } from "@capstan/model";
import { builtInDefinitions } from "@capstan/kinds";
import type { OpenApiSchema } from "../../src/index.ts";
import type { Question } from "./questions.ts";
import { randomFrom, type Random } from "./random.ts";

type Fields = { [key: string]: Json };

const types = ["io.k8s.api.apps.v1.Deployment", "io.k8s.api.core.v1.Pod", "io.k8s.api.core.v1.Service"] as const;

/** Fields that together have every strategy; the others are left out to keep objects small. */
const chosen = new Set(
  `metadata spec status labels annotations finalizers ownerReferences uid replicas selector matchLabels template strategy
  type rollingUpdate maxSurge containers name image args env value valueFrom fieldRef fieldPath ports containerPort protocol
  port targetPort nodePort resources limits volumeMounts mountPath volumes emptyDir medium configMap items key path hostPath
  tolerations effect imagePullSecrets hostAliases ip hostnames nodeSelector conditions reason clusterIPs sessionAffinity`.split(
    /\s+/,
  ),
);

const words = ["a", "b", "c", "d"];

interface Options {
  readonly random: Random;
  /** Whether directives are included. */
  readonly isPatch: boolean;
}

function valueOf(schema: OpenApiSchema, depth: number, options: Options): Json {
  const { random } = options;
  if (options.isPatch && random.chance(0.06)) return null;
  const target = schema.$ref?.split("/").at(-1);
  if (target !== undefined && /Quantity|IntOrString/.test(target)) return random.pick<Json>([1, "1"]);
  if (target !== undefined) return valueOf(builtInDefinitions()[target] ?? {}, depth, options);
  switch (schema.type) {
    case "string":
      return random.pick(words);
    case "integer":
    case "number":
      return 1 + random.below(3);
    case "boolean":
      return random.chance(0.5);
    case "array":
      return Array.from({ length: random.below(4) }, () => valueOf(schema.items ?? {}, depth - 1, options));
    default:
      return objectOf(schema, depth, options);
  }
}

function objectOf(schema: OpenApiSchema, depth: number, options: Options): Fields {
  const { random, isPatch } = options;
  const object: Fields = {};
  for (const [name, member] of Object.entries(schema.properties ?? {})) {
    if (!chosen.has(name) || depth < 0 || !random.chance(depth > 4 ? 0.8 : 0.45)) continue;
    addField(object, name, { member, value: valueOf(member, depth - 1, options), options });
  }
  if (typeof schema.additionalProperties === "object") {
    for (const key of words)
      if (random.chance(0.4)) object[key] = valueOf(schema.additionalProperties, depth - 1, options);
  }
  if (isPatch && depth < 6 && random.chance(0.03))
    object["$patch"] = random.pick(["replace", "delete", "merge", "nonsense"]);
  if (isPatch && random.chance(0.03)) object["$retainKeys"] = Object.keys(object).filter((key) => !key.startsWith("$"));
  return object;
}

interface NewField {
  readonly member: OpenApiSchema;
  readonly value: Json;
  readonly options: Options;
}

/** Items of merging lists get their key and mostly differ; patches get directives for their lists. */
function addField(object: Fields, name: string, { member, value, options }: NewField): void {
  const { random, isPatch } = options;
  object[name] = value;
  const isMerging = member["x-kubernetes-patch-strategy"]?.includes("merge") === true;
  if (!isMerging || !Array.isArray(value)) return;
  const key = member["x-kubernetes-patch-merge-key"];
  const items = key === undefined ? distinct(value as Json[]) : keyed(value as Fields[], key, options);
  object[name] = items;
  if (!isPatch) return;
  // The result of adding and deleting an item at once depends on the order of a Go map, so it is not tested.
  const absent = words.filter((word) => !items.includes(word));
  if (key === undefined && random.chance(0.4)) object[`$deleteFromPrimitiveList/${name}`] = absent.slice(0, 2);
  if (random.chance(0.25)) {
    const order = key === undefined ? items : (items as Fields[]).map((item) => ({ [key]: item[key] ?? null }));
    const extra = key === undefined ? random.pick(words) : { [key]: random.pick(words) };
    object[`$setElementOrder/${name}`] = random.chance(0.5) ? order : [extra, ...order];
    if (random.chance(0.3)) delete object[name];
  }
}

function keyed(items: readonly Fields[], key: string, { random, isPatch }: Options): Json[] {
  const seen = new Set<Json>();
  const isNumber = key.toLowerCase().endsWith("port");
  return items.filter(isFields).flatMap((item) => {
    const id: Json = isNumber ? 1 + random.below(4) : random.pick(words);
    if (seen.has(id)) return [];
    seen.add(id);
    if (isPatch && random.chance(0.15))
      return [{ [key]: id, $patch: random.pick(["delete", "delete", "replace", "merge"]) }];
    return [isPatch && random.chance(0.01) ? item : { ...item, [key]: id }];
  });
}

function isFields(value: Json): boolean {
  return typeof value === "object" && value !== null;
}

function distinct(items: readonly Json[]): Json[] {
  return [...new Set(items)].filter((item) => item !== null);
}

function variant(object: Fields, other: Fields, random: Random): Fields {
  const result: Fields = {};
  for (const [key, value] of Object.entries({ ...object, ...other })) {
    const mine = object[key];
    if (mine === undefined ? random.chance(0.3) : random.chance(0.85)) result[key] = mine ?? value;
    const [left, right] = [object[key], other[key]];
    if (isPlain(left) && isPlain(right)) result[key] = variant(left, right, random);
    else if (right !== undefined && random.chance(0.3)) result[key] = right;
  }
  return result;
}

function isPlain(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Inputs about strategic merge, from random objects and patches. */
export function strategicQuestionsFrom(seed: number, count: number): Question[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => {
    const type = random.pick(types);
    const definition: OpenApiSchema = builtInDefinitions()[type] ?? {};
    const make = (isPatch: boolean) => objectOf(definition, 7, { random, isPatch });
    const original = make(false);
    const [modified, current] = [variant(original, make(false), random), variant(original, make(false), random)];
    return [
      { kind: "strategic", type, document: original, patch: make(true) },
      { kind: "create-strategic", type, original, modified },
      { kind: "three-way-strategic", type, original, modified, current, patch: random.chance(0.8) },
    ];
  }).flat();
}
