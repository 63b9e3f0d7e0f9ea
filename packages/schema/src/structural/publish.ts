/** The schemas of a custom resource in the server's OpenAPI documents, without the server's own descriptions. */
import type { Json } from "@capstan/model";

import type { Schema, ValidationRule } from "./schema.ts";
import { isIntOrStringAllOf, isIntOrStringAnyOf } from "./structural.ts";

/** The document: version 2 has no alternatives and no null, and loses what needs them. */
export type OpenApiVersion = "v2" | "v3";

/** The names of a published resource. */
export interface PublishedNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly listKind: string;
  /** The paths of the selectable fields, as in the definition. */
  readonly selectableFields?: readonly string[];
}

type Fields = { [key: string]: Json };

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The name of a schema: the group backwards, the version, the kind. */
export function modelName(group: string, version: string, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

/** The schemas of the resource and of its list, by name. */
export function publishSchemas(schema: Schema | undefined, names: PublishedNames, openApi: OpenApiVersion): Fields {
  const { group, version, kind, listKind } = names;
  const item = modelName(group, version, kind);
  return {
    [item]: { ...resourceSchema(schema, openApi), ...extensions(names, kind) },
    [modelName(group, version, listKind)]: {
      type: "object",
      required: ["items"],
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string" },
        metadata: reference(`${meta}.ListMeta`, openApi),
        items: { type: "array", items: { $ref: place(item, openApi) } },
      },
      ...extensions(names, listKind),
    },
  };
}

function extensions({ group, version, selectableFields = [] }: PublishedNames, kind: string): Fields {
  const named: Fields = { "x-kubernetes-group-version-kind": [{ group, kind, version }] };
  if (selectableFields.length === 0) return named;
  const fields = selectableFields.map((path) => ({ fieldPath: path.replace(/^\./, "") }));
  return { ...named, "x-kubernetes-selectable-fields": fields };
}

function place(name: string, openApi: OpenApiVersion): string {
  return openApi === "v2" ? `#/definitions/${name}` : `#/components/schemas/${name}`;
}

function reference(name: string, openApi: OpenApiVersion): Json {
  const $ref = place(name, openApi);
  return openApi === "v2" ? { $ref } : { allOf: [{ $ref }] };
}

function resourceSchema(schema: Schema | undefined, openApi: OpenApiVersion): Fields {
  if (schema === undefined || (openApi === "v2" && schema.preserveUnknownFields === true)) return { type: "object" };
  const published = publish(schema, openApi);
  return {
    ...published,
    properties: { ...(published["properties"] as Fields | undefined), ...metaProperties(openApi) },
  };
}

function metaProperties(openApi: OpenApiVersion): Fields {
  return {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: reference(`${meta}.ObjectMeta`, openApi),
  };
}

function publish(schema: Schema, openApi: OpenApiVersion): Fields {
  const said = openApi === "v2" ? toV2(schema) : unfold(schema);
  const published = write(said, (inner) => publish(inner, openApi));
  if (openApi === "v2") delete published["default"];
  if (schema.embeddedResource !== true || (openApi === "v2" && schema.preserveUnknownFields === true)) return published;
  const required = (published["required"] ?? []) as readonly string[];
  return {
    ...published,
    properties: { ...(published["properties"] as Fields | undefined), ...metaProperties(openApi) },
    required: [...required, ...["kind", "apiVersion"].filter((name) => !required.includes(name))],
  };
}

/** Expresses int-or-string in plain OpenAPI. */
function unfold(schema: Schema): Schema {
  if (schema.intOrString !== true || isIntOrStringAnyOf(schema) || isIntOrStringAllOf(schema)) return schema;
  const pair: readonly Schema[] = [{ type: "integer" }, { type: "string" }];
  if (schema.anyOf === undefined) return { ...schema, anyOf: pair };
  return { ...schema, allOf: [{ anyOf: pair }, ...(schema.allOf ?? [])] };
}

/** What version 2 can express. A nullable field loses its type, and then it must not be required. */
function toV2(schema: Schema): Schema {
  const { allOf: _allOf, anyOf: _anyOf, oneOf: _oneOf, not: _not, nullable, ...rest } = schema;
  const said: Schema = rest;
  const open = schema.preserveUnknownFields === true;
  if (nullable === true || open) {
    delete said.items;
    delete said.properties;
  }
  const untyped =
    nullable === true || (said.type === "array" && said.items === undefined) || (open && said.type === "object");
  if (untyped) delete said.type;
  const required = said.required?.filter((name) => said.properties?.get(name)?.nullable !== true) ?? [];
  if (required.length === 0 || schema.additionalProperties?.schema?.nullable === true) delete said.required;
  else said.required = required;
  return said;
}

const plain: readonly (keyof Schema)[] = [
  "description",
  "type",
  "nullable",
  "format",
  "title",
  "default",
  "maximum",
  "exclusiveMaximum",
  "minimum",
  "exclusiveMinimum",
  "maxLength",
  "minLength",
  "pattern",
  "maxItems",
  "minItems",
  "uniqueItems",
  "multipleOf",
  "enum",
  "maxProperties",
  "minProperties",
  "externalDocs",
  "example",
];

const extensionKeys: readonly (readonly [keyof Schema, string])[] = [
  ["preserveUnknownFields", "x-kubernetes-preserve-unknown-fields"],
  ["embeddedResource", "x-kubernetes-embedded-resource"],
  ["intOrString", "x-kubernetes-int-or-string"],
  ["listType", "x-kubernetes-list-type"],
  ["mapType", "x-kubernetes-map-type"],
];

function write(schema: Schema, inner: (schema: Schema) => Json): Fields {
  const written: Fields = {};
  for (const key of plain) if (schema[key] !== undefined) written[key] = schema[key] as Json;
  for (const [key, name] of extensionKeys) if (schema[key] !== undefined) written[name] = schema[key] as Json;
  if ((schema.required?.length ?? 0) > 0) written["required"] = schema.required as Json;
  if ((schema.listMapKeys?.length ?? 0) > 0) written["x-kubernetes-list-map-keys"] = schema.listMapKeys as Json;
  if (schema.validations !== undefined) written["x-kubernetes-validations"] = schema.validations.map(writeRule);
  return { ...written, ...writeInner(schema, inner), ...writeAlternatives(schema) };
}

function writeInner(schema: Schema, inner: (schema: Schema) => Json): Fields {
  const written: Fields = {};
  if (schema.items !== undefined) written["items"] = inner(schema.items);
  if (schema.properties !== undefined) written["properties"] = writeMap(schema.properties, inner);
  const additional = schema.additionalProperties;
  if (additional !== undefined)
    written["additionalProperties"] = additional.schema === undefined ? additional.allows : inner(additional.schema);
  return written;
}

function writeAlternatives(schema: Schema): Fields {
  const written: Fields = {};
  for (const key of ["allOf", "anyOf", "oneOf"] as const)
    if (schema[key] !== undefined) written[key] = schema[key].map(writeNested);
  if (schema.not !== undefined) written["not"] = writeNested(schema.not);
  return written;
}

function writeMap(schemas: ReadonlyMap<string, Schema>, inner: (schema: Schema) => Json): Json {
  return Object.fromEntries([...schemas].map(([name, schema]) => [name, inner(schema)]));
}

function writeNested(schema: Schema): Json {
  const { additionalProperties: _dropped, ...rest } = schema;
  return write(rest, writeNested);
}

function writeRule({ rule, message, messageExpression, reason, fieldPath, optionalOldSelf }: ValidationRule): Json {
  return {
    rule,
    ...(message === "" ? {} : { message }),
    ...(messageExpression === "" ? {} : { messageExpression }),
    ...(reason === undefined ? {} : { reason }),
    ...(fieldPath === "" ? {} : { fieldPath }),
    ...(optionalOldSelf === undefined ? {} : { optionalOldSelf }),
  };
}
