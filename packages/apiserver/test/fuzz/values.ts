/** Random values that mostly fit a schema: known fields with valid, odd and invalid values. */
import fc, { type Arbitrary } from "fast-check";
import type { Json } from "@capstan/model";
import { definition, referenceOf, type Schema } from "./schema.ts";

/** An object. */
export type Fields = { readonly [name: string]: Json };

/** A number literal that JavaScript cannot represent or would format differently. */
function literal(text: string): Json {
  return `@literal:${text}`;
}

/** The JSON text of a value, with number literals unquoted. */
export function toBody(value: Json): string {
  return JSON.stringify(value).replaceAll(/"@literal:([^"]*)"/g, "$1");
}

const names = fc.constantFrom("a", "b", "web", "x-1", "Bad", "-", "", "a.b", "a_b", "a/b", "toolong".repeat(10));
const oddities = fc.constantFrom(
  "1",
  "100m",
  "1Gi",
  "-1",
  "0",
  "50%",
  "/a",
  "../b",
  "*",
  "TCP",
  "UDP",
  "Always",
  "None",
  "ä",
  "<&>",
  "a b",
  "\n",
  "\u2028",

  "10.0.0.1",
  "10.0.0.0/8",
  "::1",
  "010.0.0.1",
  "2020-01-01T00:00:00Z",
  "1h",
  "http://x/y",
  "@daily",
  "a=b",
  "{}",
  "self.a > 1",
  "kubernetes.io/x",
  "example.com/a",
  "x".repeat(64),
  "y".repeat(254),
);
const texts = fc.oneof({ weight: 3, arbitrary: names }, { weight: 2, arbitrary: oddities });
const wrong: Arbitrary<Json> = fc.constantFrom<Json>(null, null, true, 0, -1, 1.5, "", "x", [], {}, [1], [null], {
  a: 1,
});

const bigNumbers = ["9007199254740993", "9223372036854775807", "9223372036854775808", "1e400", "1.0", "1e2"].map(
  literal,
);
const integers = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom<Json>(0, 1, 2, 80, 65_535, 65_536, -1) },
  fc.constantFrom<Json>(2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 1.5, ...bigNumbers),
);

/** A value for a schema; deeper values are smaller. */
export function valueOf(schema: Schema, depth: number): Arbitrary<Json> {
  return fc.oneof({ weight: 30, arbitrary: rightValue(schema, depth) }, { weight: 1, arbitrary: wrong });
}

function rightValue(schema: Schema, depth: number): Arbitrary<Json> {
  if (schema.$ref !== undefined) return referenced(referenceOf(schema), depth);
  if (schema.enum !== undefined) {
    return fc.oneof({ weight: 9, arbitrary: fc.constantFrom<Json>(...schema.enum) }, texts);
  }
  switch (schema.type) {
    case "string":
      return schema.format === "byte" ? fc.constantFrom<Json>("", "YQ==", "a", "!", "YQ=", "YW\n==") : texts;
    case "integer":
      return integers;
    case "number":
      return fc.constantFrom<Json>(0, 1, 1.5, -2, ...bigNumbers);
    case "boolean":
      return fc.boolean();
    case "array":
      return fc.array(valueOf(schema.items ?? {}, depth - 1), { maxLength: depth > 0 ? 2 : 0 });
    case "object":
      return objectOf(schema, depth);
    default:
      return wrong;
  }
}

const quantities = [
  "1",
  "100m",
  "1Gi",
  "0",
  "-1",
  "x",
  1,
  0.5,
  "",
  "1e3",
  "0.5",
  "1.5Gi",
  "1000000000000000000000",
  literal("1e2"),
  null,
];
const special: { readonly [name: string]: Arbitrary<Json> } = {
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": fc.constantFrom<Json>(
    0,
    1,
    80,
    -1,
    "50%",
    "http",
    "-1",
    "a%",
    "",
    "101%",
    65_536,
    ...bigNumbers,
  ),
  "io.k8s.apimachinery.pkg.api.resource.Quantity": fc.constantFrom<Json>(...quantities),
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": fc.constantFrom<Json>(
    "2020-01-01T00:00:00Z",
    "2020-01-01T02:00:00.5+02:00",
    "yesterday",
    "",
    null,
    1,
  ),
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": fc.constantFrom<Json>(
    "2020-01-01T00:00:00.000000Z",
    "2020-01-01T00:00:00Z",
    "x",
    "",
    null,
  ),
  "io.k8s.apimachinery.pkg.apis.meta.v1.Duration": fc.constantFrom<Json>("1s", "90m", "-1s", "1", "", "x", null),
};

function referenced(name: string, depth: number): Arbitrary<Json> {
  const known = special[name];
  if (known !== undefined) return known;
  return depth <= 0 ? fc.constant({}) : rightValue(definition(name), depth - 1);
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, depth: number): Arbitrary<Json> {
  if (additionalProperties !== undefined) {
    return fc.dictionary(names, valueOf(additionalProperties, depth - 1), { maxKeys: 2 }) as Arbitrary<Json>;
  }
  const keys = Object.keys(properties);
  if (keys.length === 0 || depth <= 0) return fc.constant({});
  const needed = keys.filter((key) => required.includes(key));
  const chosen = fc.tuple(fc.subarray(keys, { maxLength: Math.min(3, keys.length) }), fc.integer({ min: 0, max: 9 }));
  return chosen.chain(([some, luck]) => {
    const fields = [...new Set(luck === 0 ? some : [...needed, ...some])];
    return fc.record(Object.fromEntries(fields.map((key) => [key, valueOf(properties[key] ?? {}, depth - 1)])));
  }) as Arbitrary<Json>;
}

const labels = fc.dictionary(fc.constantFrom("a", "b/c", "app"), fc.constantFrom("1", "x", ""), { maxKeys: 2 });

/** Objects of a schema with at least a name. */
export function objectsOf({ properties = {} }: Schema): Arbitrary<Fields> {
  const fields = Object.keys(properties).filter((key) => !["apiVersion", "kind", "metadata"].includes(key));
  const metadata = fc.record({ name: fc.constantFrom("a", "b", "web"), labels }, { requiredKeys: ["name"] });
  const rest = fc.record(Object.fromEntries(fields.map((field) => [field, valueOf(properties[field] ?? {}, 6)])), {
    requiredKeys: [],
  });
  return fc.tuple(metadata, rest).map(([meta, body]) => ({ metadata: meta, ...(body as Fields) }) as Fields);
}
