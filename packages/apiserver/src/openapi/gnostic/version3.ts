/** An OpenAPI v3 document as protobuf. The field numbers are those of `openapi.v3.Document`, which client-go reads. */
import { BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import type { Json } from "@capstan/model";
import {
  anyValue,
  bool,
  double,
  int64,
  many,
  map,
  mapWithExtensions,
  message,
  one,
  string,
  strings,
  wrapped,
  type Fields,
  type Message,
} from "./message.ts";

export function toProtobuf(document: Json): Uint8Array {
  const writer = new BinaryWriter();
  documentMessage(writer, document);
  return writer.finish();
}

const reference: Message = message(() => [
  ["$ref", 1, string],
  ["summary", 2, string],
  ["description", 3, string],
]);

/** The value itself, or a reference to it. */
function orReference(of: Message): Message {
  return (writer, value) => {
    const isReference = (value as Fields)["$ref"] !== undefined;
    one(isReference ? reference : of)(writer, value, isReference ? 2 : 1);
  };
}

const externalDocs: Message = message(
  () => [
    ["description", 1, string],
    ["url", 2, string],
  ],
  3,
);

const schema: Message = message(
  () => [
    ["nullable", 1, bool],
    ["readOnly", 3, bool],
    ["writeOnly", 4, bool],
    ["externalDocs", 6, one(externalDocs)],
    ["example", 7, one(anyValue)],
    ["deprecated", 8, bool],
    ["title", 9, string],
    ["multipleOf", 10, double],
    ["maximum", 11, double],
    ["exclusiveMaximum", 12, bool],
    ["minimum", 13, double],
    ["exclusiveMinimum", 14, bool],
    ["maxLength", 15, int64],
    ["minLength", 16, int64],
    ["pattern", 17, string],
    ["maxItems", 18, int64],
    ["minItems", 19, int64],
    ["uniqueItems", 20, bool],
    ["maxProperties", 21, int64],
    ["minProperties", 22, int64],
    ["required", 23, strings],
    ["enum", 24, many(anyValue)],
    ["type", 25, string],
    ["allOf", 26, many(schemaOrReference)],
    ["oneOf", 27, many(schemaOrReference)],
    ["anyOf", 28, many(schemaOrReference)],
    ["not", 29, one(schema)],
    ["items", 30, one(wrapped(1, many(schemaOrReference)))],
    ["properties", 31, one(map(schemaOrReference))],
    ["additionalProperties", 32, one(additionalProperties)],
    ["default", 33, one(defaultType)],
    ["description", 34, string],
    ["format", 35, string],
  ],
  36,
);

function schemaOrReference(writer: BinaryWriter, value: Json): void {
  orReference(schema)(writer, value);
}

/** A union field is written even if it is the zero value of its type. */
function additionalProperties(writer: BinaryWriter, value: Json): void {
  if (typeof value === "boolean") writer.tag(2, WireType.Varint).bool(value);
  else one(schemaOrReference)(writer, value, 1);
}

/** Defaults are numbers, booleans or strings; for other values the message is empty. */
function defaultType(writer: BinaryWriter, value: Json): void {
  if (typeof value === "number") writer.tag(1, WireType.Bit64).double(value);
  else if (typeof value === "boolean") writer.tag(2, WireType.Varint).bool(value);
  else if (typeof value === "string") writer.tag(3, WireType.LengthDelimited).string(value);
}

const mediaType: Message = message(
  () => [
    ["schema", 1, one(schemaOrReference)],
    ["example", 2, one(anyValue)],
  ],
  5,
);

const parameter: Message = message(
  () => [
    ["name", 1, string],
    ["in", 2, string],
    ["description", 3, string],
    ["required", 4, bool],
    ["deprecated", 5, bool],
    ["allowEmptyValue", 6, bool],
    ["style", 7, string],
    ["explode", 8, bool],
    ["allowReserved", 9, bool],
    ["schema", 10, one(schemaOrReference)],
    ["example", 11, one(anyValue)],
    ["content", 13, one(map(mediaType))],
  ],
  14,
);

const header: Message = message(
  () => [
    ["description", 1, string],
    ["required", 2, bool],
    ["deprecated", 3, bool],
    ["allowEmptyValue", 4, bool],
    ["style", 5, string],
    ["explode", 6, bool],
    ["allowReserved", 7, bool],
    ["schema", 8, one(schemaOrReference)],
    ["example", 9, one(anyValue)],
    ["content", 11, one(map(mediaType))],
  ],
  12,
);

const requestBody: Message = message(
  () => [
    ["description", 1, string],
    ["content", 2, one(map(mediaType))],
    ["required", 3, bool],
  ],
  4,
);

const response: Message = message(
  () => [
    ["description", 1, string],
    ["headers", 2, one(map(orReference(header)))],
    ["content", 3, one(map(mediaType))],
  ],
  5,
);

/** The default response has a separate field. */
const responses: Message = (writer, value) => {
  const { default: fallback, ...others } = value as Fields;
  if (fallback !== undefined) one(orReference(response))(writer, fallback, 1);
  mapWithExtensions(orReference(response), { entries: 2, extensions: 3 })(writer, others);
};

const securityRequirement: Message = map(wrapped(1, strings));

const server: Message = message(
  () => [
    ["url", 1, string],
    ["description", 2, string],
  ],
  4,
);

const operation: Message = message(
  () => [
    ["tags", 1, strings],
    ["summary", 2, string],
    ["description", 3, string],
    ["externalDocs", 4, one(externalDocs)],
    ["operationId", 5, string],
    ["parameters", 6, many(orReference(parameter))],
    ["requestBody", 7, one(orReference(requestBody))],
    ["responses", 8, one(responses)],
    ["deprecated", 10, bool],
    ["security", 11, many(securityRequirement)],
    ["servers", 12, many(server)],
  ],
  13,
);

const pathItem: Message = message(
  () => [
    ["$ref", 1, string],
    ["summary", 2, string],
    ["description", 3, string],
    ["get", 4, one(operation)],
    ["put", 5, one(operation)],
    ["post", 6, one(operation)],
    ["delete", 7, one(operation)],
    ["options", 8, one(operation)],
    ["head", 9, one(operation)],
    ["patch", 10, one(operation)],
    ["trace", 11, one(operation)],
    ["servers", 12, many(server)],
    ["parameters", 13, many(orReference(parameter))],
  ],
  14,
);

const securityScheme: Message = message(
  () => [
    ["type", 1, string],
    ["description", 2, string],
    ["name", 3, string],
    ["in", 4, string],
    ["scheme", 5, string],
    ["bearerFormat", 6, string],
    ["openIdConnectUrl", 8, string],
  ],
  9,
);

const components: Message = message(
  () => [
    ["schemas", 1, one(map(schemaOrReference))],
    ["responses", 2, one(map(orReference(response)))],
    ["parameters", 3, one(map(orReference(parameter)))],
    ["requestBodies", 5, one(map(orReference(requestBody)))],
    ["headers", 6, one(map(orReference(header)))],
    ["securitySchemes", 7, one(map(orReference(securityScheme)))],
  ],
  10,
);

const info: Message = message(
  () => [
    ["title", 1, string],
    ["description", 2, string],
    ["termsOfService", 3, string],
    ["version", 6, string],
    ["summary", 8, string],
  ],
  7,
);

const documentMessage: Message = message(
  () => [
    ["openapi", 1, string],
    ["info", 2, one(info)],
    ["servers", 3, many(server)],
    ["paths", 4, one(mapWithExtensions(pathItem, { entries: 1, extensions: 2 }))],
    ["components", 5, one(components)],
    ["security", 6, many(securityRequirement)],
    ["externalDocs", 8, one(externalDocs)],
  ],
  9,
);
