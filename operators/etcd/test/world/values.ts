/** Random values for the fields of a structural schema, valid and invalid, as users might write them. */

/** The part of a schema that values depend on. */
export interface Schema {
  readonly type?: string;
  readonly properties?: { readonly [name: string]: Schema };
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly "x-kubernetes-int-or-string"?: boolean;
}

export type Random = () => number;

/** A generator of numbers from a seed, so that a run can be repeated (mulberry32). */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

export function pick<T>(random: Random, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error("nothing to pick from");
  return value;
}

/** A path to a leaf and its schema. */
export interface Leaf {
  readonly path: readonly string[];
  readonly schema: Schema;
}

/** Every field of a schema that has no fields itself. */
export function leavesOf(schema: Schema, path: readonly string[] = []): readonly Leaf[] {
  if (schema.properties === undefined) return [{ path, schema }];
  return Object.entries(schema.properties).flatMap(([name, field]) => leavesOf(field, [...path, name]));
}

/** Meaningful values where the schema allows any string. */
const MEANINGFUL: { readonly [field: string]: readonly unknown[] } = {
  version: ["3.5.35", "3.6.16", "3.7.3", "3.6.x", "3.6.1", "3.9.0"],
  image: ["etcd:{version}", "nowhere/etcd:{version}", "etcd:latest"],
  options: [{}, { "snapshot-count": "5000" }, { "no-such-flag": "1" }, { "data-dir": "/tmp" }],
  podTemplate: [{ metadata: { labels: { a: "b" } } }, { spec: { nodeSelector: { disk: "fast" } } }],
};

const WRONG: readonly unknown[] = ["", "wrong", -1, 1e9, true, null, {}, [], "ÿ".repeat(600)];

/** A value for a leaf; one in four is wrong. */
export function valueFor(random: Random, { path, schema }: Leaf): unknown {
  if (random() < 0.25) return pick(random, WRONG);
  const recordedState = MEANINGFUL[path[0] ?? ""] ?? schema.enum;
  return recordedState === undefined ? typedValue(random, schema) : pick(random, recordedState);
}

function typedValue(random: Random, schema: Schema): unknown {
  if (schema["x-kubernetes-int-or-string"] === true) return pick(random, ["1Gi", "4Gi", "8Gi", "100m", "16Gi"]);
  const { minimum = 0, maximum = 10 } = schema;
  switch (schema.type) {
    case "boolean":
      return random() < 0.5;
    case "integer":
    case "number":
      return Math.floor(minimum + random() * (maximum - minimum + 1));
    case "string":
      return pick(random, schema.pattern?.includes("d)") === true ? DURATIONS : TEXTS);
    case "array":
      return [];
    default:
      return {};
  }
}

const DURATIONS = ["30s", "5m", "1h", "2d"];
const TEXTS = ["a", "standard", "0 * * * *", "1h"];

/** A copy of a tree with another value at a path. */
export function withValue(
  tree: { readonly [name: string]: unknown },
  [name = "", ...rest]: readonly string[],
  value: unknown,
): { [name: string]: unknown } {
  const inner = tree[name];
  const branch =
    typeof inner === "object" && inner !== null && !Array.isArray(inner) ? (inner as { [name: string]: unknown }) : {};
  return { ...tree, [name]: rest.length === 0 ? value : withValue(branch, rest, value) };
}
