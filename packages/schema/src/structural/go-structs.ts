/** Parts of a definition as messages show the server's internal types as JSON: Go names, in Go's order. */
import type { CrdValidation, CrdVersion } from "./crd-model.ts";
import type { GoStruct, GoValue } from "./go-text.ts";
import type { AdditionalProperties, Schema, ValidationRule } from "./schema.ts";

function struct(fields: readonly (readonly [string, GoValue])[]): GoStruct {
  return new Map(fields);
}

/** A rule of x-kubernetes-validations. */
export function ruleStruct(rule: ValidationRule): GoStruct {
  return struct([
    ["Rule", rule.rule],
    ["Message", rule.message],
    ["MessageExpression", rule.messageExpression],
    ["Reason", rule.reason ?? null],
    ["FieldPath", rule.fieldPath],
    ["OptionalOldSelf", rule.optionalOldSelf ?? null],
  ]);
}

function schemas(list: readonly Schema[] | undefined): GoValue {
  return list === undefined ? null : list.map(schemaStruct);
}

function schemaMap(map: ReadonlyMap<string, Schema> | undefined): GoValue {
  if (map === undefined) return null;
  return new Map(
    [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, schema]) => [name, schemaStruct(schema)] as const),
  );
}

function schemaOrBool(value: AdditionalProperties | undefined): GoValue {
  if (value === undefined) return null;
  return struct([
    ["Allows", value.allows],
    ["Schema", value.schema === undefined ? null : schemaStruct(value.schema)],
  ]);
}

function items(schema: Schema): GoValue {
  if (schema.items === undefined && schema.itemsList === undefined) return null;
  return struct([
    ["Schema", schema.items === undefined ? null : schemaStruct(schema.items)],
    ["JSONSchemas", schemas(schema.itemsList)],
  ]);
}

/** A schema. */
export function schemaStruct(schema: Schema): GoStruct {
  return struct([...scalarFields(schema), ...compoundFields(schema)]);
}

/** Go name, our key, and Go's value for a missing field. */
const scalars: readonly (readonly [string, keyof Schema, GoValue])[] = [
  ["ID", "id", ""],
  ["Schema", "$schema", ""],
  ["Ref", "$ref", null],
  ["Description", "description", ""],
  ["Type", "type", ""],
  ["Nullable", "nullable", false],
  ["Format", "format", ""],
  ["Title", "title", ""],
  ["Default", "default", null],
  ["Maximum", "maximum", null],
  ["ExclusiveMaximum", "exclusiveMaximum", false],
  ["Minimum", "minimum", null],
  ["ExclusiveMinimum", "exclusiveMinimum", false],
  ["MaxLength", "maxLength", null],
  ["MinLength", "minLength", null],
  ["Pattern", "pattern", ""],
  ["MaxItems", "maxItems", null],
  ["MinItems", "minItems", null],
  ["UniqueItems", "uniqueItems", false],
  ["MultipleOf", "multipleOf", null],
  ["Enum", "enum", null],
  ["MaxProperties", "maxProperties", null],
  ["MinProperties", "minProperties", null],
  ["Required", "required", null],
];

function scalarFields(schema: Schema): readonly (readonly [string, GoValue])[] {
  return scalars.map(([name, key, absent]) => [name, (schema[key] as GoValue | undefined) ?? absent] as const);
}

function compoundFields(schema: Schema): readonly (readonly [string, GoValue])[] {
  const { externalDocs } = schema;
  return [
    ["Items", items(schema)],
    ["AllOf", schemas(schema.allOf)],
    ["OneOf", schemas(schema.oneOf)],
    ["AnyOf", schemas(schema.anyOf)],
    ["Not", schema.not === undefined ? null : schemaStruct(schema.not)],
    ["Properties", schemaMap(schema.properties)],
    ["AdditionalProperties", schemaOrBool(schema.additionalProperties)],
    ["PatternProperties", schemaMap(schema.patternProperties)],
    ["Dependencies", null],
    ["AdditionalItems", schemaOrBool(schema.additionalItems)],
    ["Definitions", schemaMap(schema.definitions)],
    [
      "ExternalDocs",
      externalDocs === undefined
        ? null
        : struct([
            ["Description", externalDocs.description],
            ["URL", externalDocs.url],
          ]),
    ],
    ["Example", schema.example ?? null],
    ["XPreserveUnknownFields", schema.preserveUnknownFields ?? null],
    ["XEmbeddedResource", schema.embeddedResource === true],
    ["XIntOrString", schema.intOrString === true],
    ["XListMapKeys", schema.listMapKeys ?? null],
    ["XListType", schema.listType ?? null],
    ["XMapType", schema.mapType ?? null],
    ["XValidations", schema.validations?.map(ruleStruct) ?? null],
  ];
}

function validationStruct(validation: CrdValidation | undefined): GoValue {
  if (validation === undefined) return null;
  return struct([["OpenAPIV3Schema", validation.schema === undefined ? null : schemaStruct(validation.schema)]]);
}

function subresourcesStruct({ subresources }: CrdVersion): GoValue {
  if (subresources === undefined) return null;
  const { status, scale } = subresources;
  return struct([
    ["Status", status ? {} : null],
    [
      "Scale",
      scale === undefined
        ? null
        : struct([
            ["SpecReplicasPath", scale.specReplicasPath],
            ["StatusReplicasPath", scale.statusReplicasPath],
            ["LabelSelectorPath", scale.labelSelectorPath ?? null],
          ]),
    ],
  ]);
}

/** A version of a definition. */
export function versionStruct(version: CrdVersion): GoStruct {
  const columns = version.columns.map((column) =>
    struct([
      ["Name", column.name],
      ["Type", column.type],
      ["Format", column.format ?? ""],
      ["Description", column.description ?? ""],
      ["Priority", column.priority ?? 0],
      ["JSONPath", column.jsonPath],
    ]),
  );
  return struct([
    ["Name", version.name],
    ["Served", version.served],
    ["Storage", version.storage],
    ["Deprecated", version.deprecated],
    ["DeprecationWarning", version.deprecationWarning ?? null],
    ["Schema", validationStruct(version.validation)],
    ["Subresources", subresourcesStruct(version)],
    ["AdditionalPrinterColumns", columns.length === 0 ? null : columns],
    [
      "SelectableFields",
      version.selectableFields.length === 0
        ? null
        : version.selectableFields.map((path) => struct([["JSONPath", path]])),
    ],
  ]);
}
