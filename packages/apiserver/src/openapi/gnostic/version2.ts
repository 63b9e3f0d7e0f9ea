/** The OpenAPI v2 document as protobuf. The field numbers are those of `openapi.v2.Document`, which kubectl and client-go read. */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
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
  textOf,
  wrapped,
  type Field,
  type Fields,
  type Message,
} from "./message.ts";

export function toProtobuf(document: Json): Uint8Array {
  const writer = new BinaryWriter();
  documentMessage(writer, document);
  return writer.finish();
}

const externalDocs = message(
  () => [
    ["description", 1, string],
    ["url", 2, string],
  ],
  3,
);

/** Validation keywords, numbered from `first` in the order that all parameter types share. */
function limits(first: number): readonly Field[] {
  const writers: readonly (readonly [string, Field[2]])[] = [
    ["type", string],
    ["format", string],
    ["items", one(primitivesItems)],
    ["collectionFormat", string],
    ["default", one(anyValue)],
    ["maximum", double],
    ["exclusiveMaximum", bool],
    ["minimum", double],
    ["exclusiveMinimum", bool],
    ["maxLength", int64],
    ["minLength", int64],
    ["pattern", string],
    ["maxItems", int64],
    ["minItems", int64],
    ["uniqueItems", bool],
    ["enum", many(anyValue)],
    ["multipleOf", double],
  ];
  return writers.map(([name, write], index) => [name, first + index, write]);
}

const primitivesItems: Message = message(() => limits(1), 18);

const head: readonly Field[] = [
  ["required", 1, bool],
  ["in", 2, string],
  ["description", 3, string],
  ["name", 4, string],
];
const parameterWithoutEmpty: Message = message(() => [...head, ...limits(5)], 22);
const parameterWithEmpty: Message = message(() => [...head, ["allowEmptyValue", 5, bool], ...limits(6)], 23);

/** The location of a parameter selects its message type. */
const placeOfParameter: { readonly [place: string]: Message | undefined } = {
  header: wrapped(1, one(parameterWithoutEmpty)),
  formData: wrapped(2, one(parameterWithEmpty)),
  query: wrapped(3, one(parameterWithEmpty)),
  path: wrapped(4, one(parameterWithoutEmpty)),
};

const schema: Message = message(
  () => [
    ["$ref", 1, string],
    ["format", 2, string],
    ["title", 3, string],
    ["description", 4, string],
    ["default", 5, one(anyValue)],
    ["multipleOf", 6, double],
    ["maximum", 7, double],
    ["exclusiveMaximum", 8, bool],
    ["minimum", 9, double],
    ["exclusiveMinimum", 10, bool],
    ["maxLength", 11, int64],
    ["minLength", 12, int64],
    ["pattern", 13, string],
    ["maxItems", 14, int64],
    ["minItems", 15, int64],
    ["uniqueItems", 16, bool],
    ["maxProperties", 17, int64],
    ["minProperties", 18, int64],
    ["required", 19, strings],
    ["enum", 20, many(anyValue)],
    ["additionalProperties", 21, one(additionalProperties)],
    ["type", 22, one(wrapped(1, strings))],
    ["items", 23, one(wrapped(1, many(schema)))],
    ["allOf", 24, many(schema)],
    ["properties", 25, one(map(schema))],
    ["discriminator", 26, string],
    ["readOnly", 27, bool],
    ["externalDocs", 29, one(externalDocs)],
    ["example", 30, one(anyValue)],
  ],
  31,
);

function additionalProperties(writer: BinaryWriter, value: Json): void {
  if (typeof value === "boolean") bool(writer, value, 2);
  else one(schema)(writer, value, 1);
}

const bodyParameter: Message = message(
  () => [
    ["description", 1, string],
    ["name", 2, string],
    ["in", 3, string],
    ["required", 4, bool],
    ["schema", 5, one(schema)],
  ],
  6,
);

const reference: Message = message(() => [
  ["$ref", 1, string],
  ["description", 2, string],
]);

function parameter(writer: BinaryWriter, value: Json): void {
  const other = placeOfParameter[textOf((value as Fields)["in"])];
  if (other === undefined) one(bodyParameter)(writer, value, 1);
  else one(other)(writer, value, 2);
}

/** The value itself, or a reference to it. */
function orReference(of: Message): Message {
  return (writer, value) => {
    const isReference = (value as Fields)["$ref"] !== undefined;
    one(isReference ? reference : of)(writer, value, isReference ? 2 : 1);
  };
}

const response: Message = message(
  () => [
    ["description", 1, string],
    ["schema", 2, one(wrapped(1, one(schema)))],
    ["headers", 3, one(map(header))],
    ["examples", 4, one(map(anyValue))],
  ],
  5,
);

const header: Message = message(() => [...limits(1), ["description", 18, string]], 19);

const securityRequirement: Message = map(wrapped(1, strings));

const operation: Message = message(
  () => [
    ["tags", 1, strings],
    ["summary", 2, string],
    ["description", 3, string],
    ["externalDocs", 4, one(externalDocs)],
    ["operationId", 5, string],
    ["produces", 6, strings],
    ["consumes", 7, strings],
    ["parameters", 8, many(orReference(parameter))],
    ["responses", 9, one(mapWithExtensions(orReference(response), { entries: 1, extensions: 2 }))],
    ["schemes", 10, strings],
    ["deprecated", 11, bool],
    ["security", 12, many(securityRequirement)],
  ],
  13,
);

const pathItem: Message = message(
  () => [
    ["$ref", 1, string],
    ["get", 2, one(operation)],
    ["put", 3, one(operation)],
    ["post", 4, one(operation)],
    ["delete", 5, one(operation)],
    ["options", 6, one(operation)],
    ["head", 7, one(operation)],
    ["patch", 8, one(operation)],
    ["parameters", 9, many(orReference(parameter))],
  ],
  10,
);

const apiKeySecurity: Message = message(
  () => [
    ["type", 1, string],
    ["name", 2, string],
    ["in", 3, string],
    ["description", 4, string],
  ],
  5,
);

const info: Message = message(
  () => [
    ["title", 1, string],
    ["version", 2, string],
    ["description", 3, string],
    ["termsOfService", 4, string],
  ],
  7,
);

const documentMessage: Message = message(
  () => [
    ["swagger", 1, string],
    ["info", 2, one(info)],
    ["host", 3, string],
    ["basePath", 4, string],
    ["schemes", 5, strings],
    ["consumes", 6, strings],
    ["produces", 7, strings],
    ["paths", 8, one(mapWithExtensions(pathItem, { entries: 2, extensions: 1 }))],
    ["definitions", 9, one(map(schema))],
    ["parameters", 10, one(map(parameter))],
    ["responses", 11, one(map(response))],
    ["security", 12, many(securityRequirement)],
    ["securityDefinitions", 13, one(map(wrapped(2, one(apiKeySecurity))))],
    ["externalDocs", 15, one(externalDocs)],
  ],
  16,
);
