/** A schema as calls of the schema builders; what they cannot express uses `s.custom`. */
import type { JsonSchema } from "@capstan/schema";
import { literal, safeName } from "./text.ts";
import { typeText } from "./type-text.ts";

/** Whether the object that holds a field demands it. */
export type Presence = "required" | "optional";

/** An expression for a field. */
export function fieldText(schema: JsonSchema, presence: Presence): string {
  if (schema.default !== undefined) return `${coreText(schema)}.default(${literal(schema.default)})`;
  return presence === "required" ? coreText(schema) : `${coreText(schema)}.optional()`;
}

/** An expression for an object at the top of a resource, which must be made of fields. */
export function objectText(schema: JsonSchema): string {
  return `${fieldsText(schema)}${modifiers(schema, objectModifiers)}${commonText(schema)}`;
}

/** Keywords of any schema that have a builder. */
const commonKeywords = ["description", "default", "nullable", "x-kubernetes-validations"] as const;

function coreText(schema: JsonSchema): string {
  const word = wordFor(schema);
  if (word === undefined || !covers(schema, word.keywords)) return customText(schema);
  const nullable = schema.nullable === true ? ".nullable()" : "";
  return `${word.text}${commonText(schema)}${nullable}`;
}

/** Keywords that are set at all; a CRD may say false where nothing is meant. */
function covers(schema: JsonSchema, keywords: readonly string[]): boolean {
  const known = new Set<string>([...keywords, ...commonKeywords]);
  return Object.entries(schema).every(([name, value]) => value === undefined || known.has(name));
}

function commonText(schema: JsonSchema): string {
  const rules = (schema["x-kubernetes-validations"] ?? []).map((rule) => {
    const { rule: expression, ...report } = rule;
    return `s.rule(${literal(expression)}, ${literal(report)})`;
  });
  const described = schema.description === undefined ? "" : `.describe(${literal(schema.description)})`;
  return `${rules.length === 0 ? "" : `.rules(${rules.join(", ")})`}${described}`;
}

function customText(schema: JsonSchema): string {
  const { default: _, ...json } = schema;
  const { nullable: __, ...typed } = schema;
  const nullable = schema.nullable === true ? " | null" : "";
  return `s.custom<${typeText(typed)}${nullable}>(${literal(json)})`;
}

interface Word {
  readonly text: string;
  /** The keywords that the text covers. */
  readonly keywords: readonly string[];
}

function wordFor(schema: JsonSchema): Word | undefined {
  switch (schema.type) {
    case "string":
      return stringWord(schema);
    case "boolean":
      return { text: "s.boolean()", keywords: ["type"] };
    case "integer":
      return integerWord(schema);
    case "number":
      return { text: `s.number()${modifiers(schema, numberModifiers)}`, keywords: ["type", ...numberKeywords] };
    case "array":
      return arrayWord(schema);
    case "object":
      return objectWord(schema);
    default:
      return schema["x-kubernetes-preserve-unknown-fields"] === true
        ? { text: "s.unknown()", keywords: ["x-kubernetes-preserve-unknown-fields"] }
        : undefined;
  }
}

type Modifiers = readonly (readonly [string, (schema: JsonSchema) => string | undefined])[];

const said =
  (keyword: keyof JsonSchema, method: string) =>
  (schema: JsonSchema): string | undefined =>
    schema[keyword] === undefined ? undefined : `.${method}(${literal(schema[keyword])})`;

const stringModifiers: Modifiers = [
  ["minLength", said("minLength", "min")],
  ["maxLength", said("maxLength", "max")],
  ["pattern", said("pattern", "pattern")],
  ["format", said("format", "format")],
];
const numberModifiers: Modifiers = [
  ["minimum", (schema) => said("minimum", schema.exclusiveMinimum === true ? "above" : "min")(schema)],
  ["maximum", (schema) => said("maximum", schema.exclusiveMaximum === true ? "below" : "max")(schema)],
  ["multipleOf", said("multipleOf", "multipleOf")],
];
const numberKeywords = ["minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum"];
const objectModifiers: Modifiers = [
  [
    "x-kubernetes-preserve-unknown-fields",
    (schema) => (schema["x-kubernetes-preserve-unknown-fields"] === true ? ".loose()" : undefined),
  ],
  ["x-kubernetes-map-type", (schema) => (schema["x-kubernetes-map-type"] === "atomic" ? ".atomic()" : undefined)],
];
const arrayModifiers: Modifiers = [
  ["minItems", said("minItems", "min")],
  ["maxItems", said("maxItems", "max")],
  ["x-kubernetes-list-type", listText],
];
const recordModifiers: Modifiers = [
  ["minProperties", said("minProperties", "min")],
  ["maxProperties", said("maxProperties", "max")],
  ["x-kubernetes-map-type", (schema) => (schema["x-kubernetes-map-type"] === "atomic" ? ".atomic()" : undefined)],
];

function modifiers(schema: JsonSchema, known: Modifiers): string {
  return known.map(([, write]) => write(schema) ?? "").join("");
}

function keywordsOf(known: Modifiers): string[] {
  return known.map(([keyword]) => keyword);
}

/** The formats that the language knows by name. */
const formats: ReadonlySet<string> = new Set(
  "bsonobjectid uri email hostname ipv4 ipv6 cidr mac uuid uuid3 uuid4 uuid5 isbn isbn10 isbn13 creditcard ssn hexcolor rgbcolor byte password date duration date-time k8s-short-name k8s-long-name".split(
    " ",
  ),
);

function stringWord(schema: JsonSchema): Word | undefined {
  const { enum: values, format } = schema;
  if (values !== undefined) {
    const isPlain = values.length > 0 && values.every((value) => typeof value === "string");
    return isPlain
      ? { text: `s.enum(${values.map((value) => literal(value)).join(", ")})`, keywords: ["type", "enum"] }
      : undefined;
  }
  if (format !== undefined && !formats.has(format)) return undefined;
  return {
    text: `s.string()${modifiers(schema, stringModifiers)}`,
    keywords: ["type", ...keywordsOf(stringModifiers)],
  };
}

function integerWord(schema: JsonSchema): Word | undefined {
  if (schema.format !== "int32" && schema.format !== "int64") return undefined;
  return {
    text: `s.${schema.format}()${modifiers(schema, numberModifiers)}`,
    keywords: ["type", "format", ...numberKeywords],
  };
}

function arrayWord(schema: JsonSchema): Word | undefined {
  if (schema.items === undefined || schema.items.default !== undefined) return undefined;
  return {
    text: `s.array(${coreText(schema.items)})${modifiers(schema, arrayModifiers)}`,
    keywords: ["type", "items", "x-kubernetes-list-map-keys", ...keywordsOf(arrayModifiers)],
  };
}

function listText(schema: JsonSchema): string | undefined {
  switch (schema["x-kubernetes-list-type"]) {
    case "map":
      return `.map(${(schema["x-kubernetes-list-map-keys"] ?? []).map((key) => literal(key)).join(", ")})`;
    case "set":
      return ".set()";
    case "atomic":
      return ".atomic()";
    default:
      return undefined;
  }
}

function objectWord(schema: JsonSchema): Word | undefined {
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && additionalProperties === undefined) {
    const isGranular = schema["x-kubernetes-map-type"] === "granular";
    if (isGranular || Object.hasOwn(properties, "__proto__")) return undefined;
    return {
      text: `${fieldsText(schema)}${modifiers(schema, objectModifiers)}`,
      keywords: ["type", "properties", "required", ...keywordsOf(objectModifiers)],
    };
  }
  if (additionalProperties === undefined || properties !== undefined) return undefined;
  if (schema["x-kubernetes-map-type"] === "granular" || additionalProperties.default !== undefined) return undefined;
  return {
    text: `s.record(${coreText(additionalProperties)})${modifiers(schema, recordModifiers)}`,
    keywords: ["type", "additionalProperties", ...keywordsOf(recordModifiers)],
  };
}

function fieldsText({ properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties).map(
    ([name, field]) => `${safeName(name)}: ${fieldText(field, required.includes(name) ? "required" : "optional")},\n`,
  );
  return fields.length === 0 ? "s.object({})" : `s.object({\n${fields.join("")}})`;
}
