/** Random values that mostly fit a schema: the right fields with good, odd and wrong values. */
import fc, { type Arbitrary } from "fast-check";
import { openApiV2 } from "@capstan/kinds/openapi";
import type { Json } from "@capstan/model";

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

type Fields = { readonly [name: string]: Json };

const prefix = "#/definitions/";

function definition(name: string): Schema {
  const { definitions } = openApiV2() as unknown as { definitions: { readonly [name: string]: Schema } };
  const found = definitions[name];
  if (found === undefined) throw new RangeError(`there is no definition ${name}`);
  return found;
}

const names = fc.constantFrom("a", "b", "web", "x-1", "Bad", "-", "", "a.b", "a_b", "toolong".repeat(10));
const texts = fc.oneof(
  { weight: 4, arbitrary: names },
  fc.constantFrom(
    "1",
    "100m",
    "1Gi",
    "-1",
    "/a",
    "../b",
    "a/b",
    "10.0.0.1",
    "*",
    "TCP",
    "Always",
    "ä",
    "2020-01-01T00:00:00Z",
  ),
);
const wrong: Arbitrary<Json> = fc.constantFrom<Json>(null, true, 0, -1, 1.5, "", "x", [], {}, [1], { a: 1 });

/** A value for a schema; deeper values are smaller. */
function valueOf(schema: Schema, depth: number): Arbitrary<Json> {
  const right = rightValue(schema, depth);
  return fc.oneof({ weight: 40, arbitrary: right }, { weight: 1, arbitrary: wrong });
}

function rightValue(schema: Schema, depth: number): Arbitrary<Json> {
  if (schema.$ref !== undefined) return referenced(schema.$ref.slice(prefix.length), depth);
  if (schema.enum !== undefined)
    return fc.oneof({ weight: 9, arbitrary: fc.constantFrom<Json>(...schema.enum) }, texts);
  switch (schema.type) {
    case "string":
      return schema.format === "byte" ? fc.constantFrom<Json>("", "YQ==", "a", "!") : texts;
    case "integer":
      return fc.constantFrom<Json>(0, 1, 2, 80, 65_535, 65_536, -1, 2 ** 31 - 1);
    case "number":
      return fc.constantFrom<Json>(0, 1, 1.5, -2);
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

const special: { readonly [name: string]: Arbitrary<Json> } = {
  "io.k8s.apimachinery.pkg.util.intstr.IntOrString": fc.constantFrom<Json>(0, 1, 80, "50%", "http", "-1", "a%"),
  "io.k8s.apimachinery.pkg.api.resource.Quantity": fc.constantFrom<Json>("1", "100m", "1Gi", "0", "-1", "x", 1, 0.5),
  "io.k8s.apimachinery.pkg.apis.meta.v1.Time": fc.constantFrom<Json>("2020-01-01T00:00:00Z", "yesterday", null),
  "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": fc.constantFrom<Json>("2020-01-01T00:00:00.000000Z", "x"),
};

function referenced(name: string, depth: number): Arbitrary<Json> {
  const known = special[name];
  if (known !== undefined) return known;
  return depth <= 0 ? fc.constant({}) : rightValue(definition(name), depth - 1);
}

function objectOf({ properties = {}, required = [], additionalProperties }: Schema, depth: number): Arbitrary<Json> {
  if (additionalProperties !== undefined) {
    return fc.dictionary(names, valueOf(additionalProperties, depth - 1), { maxKeys: 1 }) as Arbitrary<Json>;
  }
  const keys = Object.keys(properties).filter((key) => key !== "status");
  if (keys.length === 0 || depth <= 0) return fc.constant({});
  const needed = keys.filter((key) => required.includes(key));
  return fc
    .tuple(fc.subarray(keys, { maxLength: Math.min(3, keys.length) }), fc.integer({ min: 0, max: 9 }))
    .chain(([some, luck]) => {
      const chosen = [...new Set(luck === 0 ? some : [...needed, ...some])];
      return fc.record(Object.fromEntries(chosen.map((key) => [key, valueOf(properties[key] ?? {}, depth - 1)])));
    }) as Arbitrary<Json>;
}

const goodLabels = fc.dictionary(fc.constantFrom("a", "b/c"), fc.constantFrom("1", "x"), { maxKeys: 1 });

/** Objects of a definition that have at least a name. */
export function objectsOf(name: string): Arbitrary<Fields> {
  const { properties = {} } = definition(name);
  const fields = Object.keys(properties).filter((key) => !["apiVersion", "kind", "metadata", "status"].includes(key));
  const metadata = fc.record(
    { name: fc.constantFrom("a", "b", "web"), labels: goodLabels },
    { requiredKeys: ["name"] },
  );
  const rest = fc.record(Object.fromEntries(fields.map((field) => [field, valueOf(properties[field] ?? {}, 6)])), {
    requiredKeys: [],
  });
  return fc.tuple(metadata, rest).map(([meta, body]) => ({ metadata: meta, ...(body as Fields) }) as Fields);
}
