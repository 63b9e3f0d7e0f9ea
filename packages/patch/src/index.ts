/** JSON patch, merge patch, strategic merge and server-side apply with managed fields. Pure. */
export { applyJsonPatch, jsonPatchLimits } from "./document/json-patch.ts";
export type { JsonPatchLimits } from "./document/json-patch.ts";
export { checkJsonPatchFields, checkMergePatchBody } from "./document/decode.ts";
export { applyMergePatch, createMergePatch, createThreeWayMergePatch } from "./document/merge-patch.ts";
export type { ThreeVersions } from "./document/merge-patch.ts";
export { PatchError } from "./errors.ts";
export type { PatchErrorCode } from "./errors.ts";
export type { JsonList, JsonObject } from "./json-value.ts";
export { decodeFields, encodeFields } from "./fields/fields-v1.ts";
export {
  differenceOf,
  emptyFieldSet,
  fieldSetOf,
  formatPath,
  hasPath,
  intersectionOf,
  isEmptySet,
  isSameSet,
  isSubset,
  leavesOf,
  pathsOf,
  recursiveDifferenceOf,
  unionOf,
} from "./fields/field-set.ts";
export type { FieldPath, FieldSet } from "./fields/field-set.ts";
export type { PathElement } from "./fields/path-element.ts";
export { fromCrd } from "./schema/from-crd.ts";
export type { CrdOptions } from "./schema/from-crd.ts";
export { fromOpenApi } from "./schema/from-openapi.ts";
export type { OpenApiDefinitions, OpenApiSchema } from "./schema/from-openapi.ts";
export { deduced, untypedAtomic } from "./schema/type-schema.ts";
export type { FieldType, ListType, MapType, ScalarKind, TypeRef, TypeSchema } from "./schema/type-schema.ts";
export { zeroObject } from "./schema/zero-object.ts";
export { compareValues } from "./typed/compare.ts";
export type { Comparison } from "./typed/compare.ts";
export { mergeValues } from "./typed/merge.ts";
export { extractFields, removeFields } from "./typed/remove.ts";
export { toFieldSet } from "./typed/to-field-set.ts";
export { findTypeErrors } from "./typed/validate.ts";
export type { ValidateOptions } from "./typed/validate.ts";
export { printValue, typeName } from "./go-print.ts";
export type { FieldConflict } from "./managed/conflict.ts";
export { extractApplied } from "./managed/extract.ts";
export type { ExtractOptions } from "./managed/extract.ts";
export { lastAppliedAnnotation } from "./managed/last-applied.ts";
export { manageFields } from "./managed/manage-fields.ts";
export type { ConvertedObject, ManageFieldsOptions, ManageFieldsResult } from "./managed/manage-fields.ts";
export { decodeOwners, encodeOwners } from "./managed/owners.ts";
export type { Owner, Owners } from "./managed/owners.ts";
export type { FieldFilter } from "./managed/ownership.ts";
export { fromScaleFields, toScaleFields } from "./managed/scale.ts";
export type { FromScaleOptions, ReplicasPaths } from "./managed/scale.ts";
export { ignoreTimestampChange } from "./managed/timestamps.ts";
export { applyStrategicPatch } from "./strategic/apply.ts";
export { createStrategicPatch, createThreeWayStrategicPatch } from "./strategic/create.ts";
export type { ThreeWayOptions } from "./strategic/create.ts";
export { patchTypeFromOpenApi } from "./strategic/patch-type.ts";
export type { PatchField, PatchType } from "./strategic/patch-type.ts";
