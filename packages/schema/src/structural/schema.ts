/** The schema of a custom resource as a value: JSONSchemaProps decoded once, with only the fields that are set. */
import type { Json } from "@capstan/model";

/** One rule of x-kubernetes-validations. */
export interface ValidationRule {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression: string;
  readonly reason?: string;
  readonly fieldPath: string;
  readonly optionalOldSelf?: boolean;
}

/** The schema of fields that `properties` does not name. */
export interface AdditionalProperties {
  readonly allows: boolean;
  readonly schema?: Schema;
}

/** A schema of a CRD. A key is present only if the CRD has a non-empty value for it. */
export interface Schema {
  id?: string;
  $schema?: string;
  $ref?: string;
  description?: string;
  type?: string;
  nullable?: true;
  format?: string;
  title?: string;
  default?: Json;
  maximum?: number;
  exclusiveMaximum?: true;
  minimum?: number;
  exclusiveMinimum?: true;
  maxLength?: number;
  minLength?: number;
  pattern?: string;
  maxItems?: number;
  minItems?: number;
  uniqueItems?: true;
  multipleOf?: number;
  enum?: readonly Json[];
  maxProperties?: number;
  minProperties?: number;
  required?: readonly string[];
  items?: Schema;
  /** `items` given as a list of schemas, which is never allowed. */
  itemsList?: readonly Schema[];
  allOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  anyOf?: readonly Schema[];
  not?: Schema;
  properties?: ReadonlyMap<string, Schema>;
  additionalProperties?: AdditionalProperties;
  patternProperties?: ReadonlyMap<string, Schema>;
  dependencies?: ReadonlyMap<string, Schema | readonly string[]>;
  additionalItems?: AdditionalProperties;
  definitions?: ReadonlyMap<string, Schema>;
  externalDocs?: { readonly description: string; readonly url: string };
  example?: Json;
  preserveUnknownFields?: boolean;
  embeddedResource?: true;
  intOrString?: true;
  listMapKeys?: readonly string[];
  listType?: string;
  mapType?: string;
  validations?: readonly ValidationRule[];
}

type JsonObject = { readonly [key: string]: Json | undefined };

/** Whether a JSON value is an object (not null, not an array). */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Decodes the JSONSchemaProps of a CRD. Values of the wrong JSON type are ignored: the decoder rejects them earlier. */
export function readSchema(json: Json | undefined): Schema {
  const schema: Schema = {};
  if (!isJsonObject(json)) return schema;
  for (const key of Object.keys(json)) {
    const value = json[key];
    if (value !== null && value !== undefined) readers[key]?.(schema, value);
  }
  return schema;
}

type Reader = (schema: Schema, value: Json) => void;

function text(key: "id" | "$schema" | "$ref" | "description" | "type" | "format" | "title" | "pattern"): Reader {
  return (schema, value) => {
    if (typeof value === "string" && value !== "") schema[key] = value;
  };
}

function number(
  key:
    | "maximum"
    | "minimum"
    | "maxLength"
    | "minLength"
    | "maxItems"
    | "minItems"
    | "multipleOf"
    | "maxProperties"
    | "minProperties",
): Reader {
  return (schema, value) => {
    if (typeof value === "number") schema[key] = value;
  };
}

function flag(
  key: "nullable" | "exclusiveMaximum" | "exclusiveMinimum" | "uniqueItems" | "embeddedResource" | "intOrString",
): Reader {
  return (schema, value) => {
    if (value === true) schema[key] = true;
  };
}

function schemas(key: "allOf" | "oneOf" | "anyOf"): Reader {
  return (schema, value) => {
    if (Array.isArray(value) && value.length > 0) schema[key] = value.map((item: Json) => readSchema(item));
  };
}

function schemaMap(key: "properties" | "patternProperties" | "definitions"): Reader {
  return (schema, value) => {
    if (isJsonObject(value) && Object.keys(value).length > 0) schema[key] = readMap(value);
  };
}

function readMap(value: JsonObject): Map<string, Schema> {
  return new Map(Object.entries(value).map(([name, item]) => [name, readSchema(item)]));
}

function schemaOrBool(key: "additionalProperties" | "additionalItems"): Reader {
  return (schema, value) => {
    if (isJsonObject(value)) schema[key] = { allows: true, schema: readSchema(value) };
    else if (typeof value === "boolean") schema[key] = { allows: value };
  };
}

function json(key: "default" | "example"): Reader {
  return (schema, value) => {
    schema[key] = value;
  };
}

function strings(value: Json): readonly string[] {
  return Array.isArray(value) ? value.filter((item: Json) => typeof item === "string") : [];
}

function readRule(json: Json): ValidationRule {
  const rule = isJsonObject(json) ? json : {};
  const string = (key: string): string => (typeof rule[key] === "string" ? rule[key] : "");
  return {
    rule: string("rule"),
    message: string("message"),
    messageExpression: string("messageExpression"),
    fieldPath: string("fieldPath"),
    ...(typeof rule["reason"] === "string" ? { reason: rule["reason"] } : {}),
    ...(typeof rule["optionalOldSelf"] === "boolean" ? { optionalOldSelf: rule["optionalOldSelf"] } : {}),
  };
}

const readers: Readonly<Record<string, Reader | undefined>> = {
  id: text("id"),
  $schema: text("$schema"),
  $ref: text("$ref"),
  description: text("description"),
  type: text("type"),
  format: text("format"),
  title: text("title"),
  pattern: text("pattern"),
  nullable: flag("nullable"),
  default: json("default"),
  example: json("example"),
  maximum: number("maximum"),
  minimum: number("minimum"),
  maxLength: number("maxLength"),
  minLength: number("minLength"),
  maxItems: number("maxItems"),
  minItems: number("minItems"),
  multipleOf: number("multipleOf"),
  maxProperties: number("maxProperties"),
  minProperties: number("minProperties"),
  exclusiveMaximum: flag("exclusiveMaximum"),
  exclusiveMinimum: flag("exclusiveMinimum"),
  uniqueItems: flag("uniqueItems"),
  enum: (schema, value) => {
    if (Array.isArray(value) && value.length > 0) schema.enum = value as readonly Json[];
  },
  required: (schema, value) => {
    schema.required = strings(value);
  },
  items: (schema, value) => {
    if (Array.isArray(value)) schema.itemsList = value.map((item: Json) => readSchema(item));
    else schema.items = readSchema(value);
  },
  allOf: schemas("allOf"),
  oneOf: schemas("oneOf"),
  anyOf: schemas("anyOf"),
  not: (schema, value) => {
    schema.not = readSchema(value);
  },
  properties: schemaMap("properties"),
  patternProperties: schemaMap("patternProperties"),
  definitions: schemaMap("definitions"),
  additionalProperties: schemaOrBool("additionalProperties"),
  additionalItems: schemaOrBool("additionalItems"),
  dependencies: (schema, value) => {
    if (!isJsonObject(value)) return;
    schema.dependencies = new Map(
      Object.entries(value).map(([name, item]) => [
        name,
        Array.isArray(item) ? strings(item as Json) : readSchema(item),
      ]),
    );
  },
  externalDocs: (schema, value) => {
    if (!isJsonObject(value)) return;
    const { description, url } = value;
    schema.externalDocs = {
      description: typeof description === "string" ? description : "",
      url: typeof url === "string" ? url : "",
    };
  },
  "x-kubernetes-preserve-unknown-fields": (schema, value) => {
    if (typeof value === "boolean") schema.preserveUnknownFields = value;
  },
  "x-kubernetes-embedded-resource": flag("embeddedResource"),
  "x-kubernetes-int-or-string": flag("intOrString"),
  "x-kubernetes-list-map-keys": (schema, value) => {
    schema.listMapKeys = strings(value);
  },
  "x-kubernetes-list-type": (schema, value) => {
    if (typeof value === "string") schema.listType = value;
  },
  "x-kubernetes-map-type": (schema, value) => {
    if (typeof value === "string") schema.mapType = value;
  },
  "x-kubernetes-validations": (schema, value) => {
    if (Array.isArray(value) && value.length > 0) schema.validations = value.map((item: Json) => readRule(item));
  },
};
