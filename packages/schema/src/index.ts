/** One value describes a resource: its TypeScript type, CRD, validation, defaults, pruning, printing and conversion. */

// The API for users.
export { s } from "./define/s.ts";
export type { LabelSelectorValue } from "./define/s.ts";
export { Schema } from "./define/schema.ts";
export type { Infer, InferInput, Presence } from "./define/schema.ts";
export type {
  ArraySchema,
  Fields,
  InputOf,
  ObjectSchema,
  OneOf,
  OutputOf,
  RecordSchema,
} from "./define/collections.ts";
export type { NumberSchema, StringFormat, StringSchema } from "./define/scalars.ts";
export { settingsOf } from "./define/settings.ts";
export type { Setting } from "./define/settings.ts";
export type { Rule, RuleReport } from "./define/rule.ts";
export { defineResource } from "./define/resource.ts";
export type { Resource, VersionedResource } from "./define/resource.ts";
export type {
  ApplyMeta,
  Column,
  Draft,
  Hooks,
  Naming,
  ResourceApply,
  ResourceObject,
  StatusOf,
  HookCall,
  ValidateContext,
  VersionDefinition,
} from "./define/definition.ts";
export type { Conversions, ConversionsFor, Convert, Definition, Versions } from "./define/versions.ts";
export type { Validate } from "./define/validate.ts";
export type { Condition } from "./define/conditions.ts";
export type { MetadataPath, Path } from "./define/paths.ts";
export { DefinitionError } from "./define/errors.ts";
export type { DefinitionErrorCode } from "./define/errors.ts";
export type { CrdVersion, CustomResourceDefinition } from "./define/crd.ts";
export type { JsonSchema, ValidationRule } from "./define/json-schema.ts";
export type { ColumnFacts, VersionFacts } from "./define/version-facts.ts";

// What the API server does with a CRD and its objects.
export { webhookUrlErrors } from "./structural/crd-parts.ts";
export { readSchema } from "./structural/schema.ts";
export type { Schema as StructuralSchema } from "./structural/schema.ts";
export { unsupportedConstruct, validateStructural } from "./structural/structural.ts";
export { compileValidator } from "./structural/validator.ts";
export type { ValidateOptions, Validator } from "./structural/validator.ts";
export { compileRuleValidator } from "./structural/rule-validator.ts";
export type { RuleRun, RuleValidator } from "./structural/rule-validator.ts";
export { compileResource } from "./structural/resource.ts";
export type { CompiledResource, Decoded, RefusedNulls, ResourceNames, Warn } from "./structural/resource.ts";
export { prune } from "./structural/pruning.ts";
export type { Pruned } from "./structural/pruning.ts";
export { applyDefaults, dropRefusedNulls } from "./structural/defaulting.ts";
export { coerceEmbedded, validateEmbedded } from "./structural/embedded.ts";
export type { CoerceOptions, Coerced } from "./structural/embedded.ts";
export { validateListTypes } from "./structural/list-types.ts";
export { decodeObjectMeta } from "./structural/object-meta-decode.ts";
export type { DecodedMeta } from "./structural/object-meta-decode.ts";
export { validateObjectMeta, validateObjectMetaUpdate } from "./structural/object-meta.ts";
export type { MetaRules, NameCheck } from "./structural/object-meta.ts";
export { approvalState } from "./structural/crd-approval.ts";
export type { Approval } from "./structural/crd-approval.ts";
export { crdWarnings, validateCustomResourceDefinition } from "./structural/crd.ts";
export type { CrdOptions } from "./structural/crd.ts";
export { modelName, publishSchemas } from "./structural/publish.ts";
export type { OpenApiVersion, PublishedNames } from "./structural/publish.ts";

// Printing: JSONPath templates, tables, ages.
export { compileJsonPath, printValues } from "./print/jsonpath.ts";
export type { JsonPath, JsonPathOptions } from "./print/jsonpath.ts";
export { JsonPathError } from "./print/jsonpath-parser.ts";
export { compileColumns, defaultColumns, selectableFieldValue } from "./print/columns.ts";
export type { PrinterColumn, TableColumn, TablePrinter } from "./print/columns.ts";
