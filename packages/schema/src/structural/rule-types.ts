/** The CEL type of what a schema describes, with the sizes that cost estimates need. */
import type { DeclField, DeclLimits, DeclType } from "@capstan/cel";
import { declList, declMap, declObject, declScalar, escapeField } from "@capstan/cel";
import { byteLength } from "@capstan/model";

import type { Schema } from "./schema.ts";

/** The largest request that a server accepts; it bounds sizes that a schema does not limit. */
export const maxRequestBytes: number = 3 * 1024 * 1024;

const string: Schema = { type: "string" };
const metadata: Schema = {
  type: "object",
  properties: new Map([
    ["name", string],
    ["generateName", string],
  ]),
};

/** The schema with apiVersion, kind and the names in metadata, which every resource has. */
export function withTypeAndObjectMeta(schema: Schema): Schema {
  const meta = schema.properties?.get("metadata");
  const complete =
    schema.properties?.get("kind")?.type === "string" &&
    schema.properties.get("apiVersion")?.type === "string" &&
    meta?.type === "object" &&
    meta.properties?.get("name")?.type === "string" &&
    meta.properties.get("generateName")?.type === "string";
  if (complete) return schema;
  const properties = new Map(schema.properties ?? []);
  properties.set("kind", string).set("apiVersion", string).set("metadata", metadata);
  return { ...schema, properties };
}

/** The type, or undefined where a schema does not define one: rules cannot access such fields. */
export function declTypeOf(schema: Schema, isResourceRoot: boolean): DeclType | undefined {
  const nullable = schema.nullable === true;
  if (schema.intOrString === true)
    return declScalar("int-or-string", { nullable, maxElements: maxCharacters(schema), minSerializedSize: 1 });
  const complete = isResourceRoot ? withTypeAndObjectMeta(schema) : schema;
  switch (complete.type) {
    case "array":
      return arrayType(complete, nullable);
    case "object":
      return complete.additionalProperties?.schema === undefined
        ? objectType(complete, nullable)
        : mapType(complete, complete.additionalProperties.schema, nullable);
    case "string":
      return stringType(complete, nullable);
    case "boolean":
      return declScalar("bool", { nullable });
    case "number":
      return declScalar("double", { nullable });
    case "integer":
      return declScalar("int", { nullable });
    default:
      return undefined;
  }
}

function atLeastZero(value: number): bigint {
  return BigInt(Math.max(0, Math.trunc(value)));
}

function arrayType(schema: Schema, nullable: boolean): DeclType | undefined {
  const element =
    schema.items === undefined ? undefined : declTypeOf(schema.items, schema.items.embeddedResource === true);
  if (element === undefined) return undefined;
  const open = Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 1));
  const listType = schema.listType === "set" || schema.listType === "map" ? schema.listType : "atomic";
  return declList(element, {
    nullable,
    maxElements: atLeastZero(schema.maxItems ?? open),
    listType,
    mapKeys: schema.listMapKeys ?? [],
  });
}

function mapType(schema: Schema, values: Schema, nullable: boolean): DeclType | undefined {
  const element = declTypeOf(values, values.embeddedResource === true);
  if (element === undefined) return undefined;
  const open = Math.floor((maxRequestBytes - 2) / (element.minSerializedSize + 6));
  return declMap(element, { nullable, maxElements: atLeastZero(schema.maxProperties ?? open) });
}

function objectType(schema: Schema, nullable: boolean): DeclType {
  const fields = new Map<string, DeclField>();
  const required = new Set(schema.required ?? []);
  let minSerializedSize = 2;
  for (const [property, inner] of schema.properties ?? []) {
    const type = declTypeOf(inner, inner.embeddedResource === true);
    if (type === undefined) continue;
    const field = escapeField(property);
    if (field !== undefined) fields.set(field, { property, type, required: required.has(property) });
    if (required.has(property) && inner.default === undefined)
      minSerializedSize += byteLength(property) + type.minSerializedSize + 4;
  }
  return declObject("object", fields, { nullable, minSerializedSize });
}

function maxCharacters(schema: Schema): bigint {
  return schema.maxLength === undefined ? BigInt(maxRequestBytes - 2) : atLeastZero(schema.maxLength) * 4n;
}

const timeForms: Readonly<Record<string, readonly ["duration" | "date" | "date-time", bigint]>> = {
  duration: ["duration", 32n],
  date: ["date", 12n],
  "date-time": ["date-time", 32n],
};

function stringType(schema: Schema, nullable: boolean): DeclType {
  const time = schema.format === undefined ? undefined : timeForms[schema.format];
  if (time !== undefined) return declScalar(time[0], { nullable, maxElements: time[1] });
  if (schema.format === "byte") {
    const maxElements = schema.maxLength === undefined ? BigInt(maxRequestBytes - 2) : atLeastZero(schema.maxLength);
    return declScalar("bytes", { nullable, maxElements });
  }
  const limits: DeclLimits = { nullable, maxElements: stringLength(schema) };
  return declScalar("string", limits);
}

function stringLength(schema: Schema): bigint {
  if (schema.maxLength !== undefined || schema.enum === undefined) return maxCharacters(schema);
  return schema.enum.reduce<bigint>((longest, value) => {
    const length = typeof value === "string" ? BigInt(byteLength(value)) : 0n;
    return length > longest ? length : longest;
  }, 0n);
}
