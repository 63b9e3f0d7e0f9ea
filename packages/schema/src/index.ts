/** One value describes a resource: its TypeScript type, CRD, validation, defaults, pruning, printing and conversion. */

// What users write.
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
  SingleDefinition,
  StatusOf,
  ValidateContext,
  VersionDefinition,
} from "./define/definition.ts";
export type { Conversions, ConversionsFor, Convert, ManyDefinition, Versions } from "./define/versions.ts";
export type { Condition } from "./define/conditions.ts";
export type { Path } from "./define/paths.ts";
export { DefinitionError } from "./define/errors.ts";
export type { DefinitionErrorCode } from "./define/errors.ts";
export type { CrdVersion, CustomResourceDefinition } from "./define/crd.ts";
export type { JsonSchema, ValidationRule } from "./define/json-schema.ts";
export type { ColumnFacts, VersionFacts } from "./define/version-facts.ts";
