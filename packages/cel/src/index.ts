/** The Common Expression Language with Kubernetes' libraries and cost limits. */

// Environments and expressions
export { billOf, createEnv } from "./environment.ts";
export type {
  CompileFailure,
  CompileResult,
  CompileSuccess,
  Env,
  EnvOptions,
  EvaluateOptions,
  Evaluation,
  Expression,
} from "./environment.ts";
export type { Activation } from "./evaluate/frame.ts";
export type { CostEstimate, SizeEstimator } from "./cost/estimate.ts";
export type { Issue } from "./source.ts";
export { formatIssues } from "./source.ts";

// Types, and what can be declared
export {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  objectType,
  opaqueType,
  optionalOf,
  sameType,
  STRING,
  TIMESTAMP,
  Type,
  typeParam,
  UINT,
} from "./type.ts";
export type { TypeKind } from "./type.ts";
export { member, overload } from "./check/declarations.ts";
export type { FunctionDeclaration, Implementation, Overload, TypeProvider } from "./check/declarations.ts";
export type { Library } from "./library/library.ts";

// Values
export {
  ArrayList,
  CelDuration,
  CelError,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  EntryMap,
  typeOfValue,
} from "./values/value.ts";
export type { CelErrorCode, CelResult, CelValue, Equality } from "./values/value.ts";
export { equals } from "./values/compare.ts";

// Schemas: types with limits, JSON, field names
export {
  assignTypeNames,
  declList,
  declMap,
  declObject,
  declScalar,
  declSizes,
  ruleSizes,
  declTypeProvider,
  NO_LIMIT,
  withKeywordFields,
} from "./schema/decl-type.ts";
export type {
  DeclField,
  DeclLimits,
  DeclList,
  DeclMap,
  DeclObject,
  DeclScalar,
  DeclType,
  JsonForm,
} from "./schema/decl-type.ts";
export { escapeField, unescapeField } from "./schema/escaping.ts";
export { fromJson, toJson } from "./schema/json.ts";
export type { Json } from "./schema/json.ts";

// Patterns, and the work that costs do not show
export { compilePattern, PatternError } from "./pattern/pattern.ts";
export type { Pattern } from "./pattern/pattern.ts";
export { spend, withinWork, withoutWork, WORK_LIMIT, WorkExceededError } from "./work.ts";

// Kubernetes
export { kubernetesOptions, NEWEST_MINOR } from "./kubernetes/versions.ts";
export type { KubernetesMinor } from "./kubernetes/versions.ts";
export { AUTHORIZER, CelAuthorizer, CelResourceCheck, RESOURCE_CHECK } from "./kubernetes/authorizer.ts";
export type {
  AuthorizationAnswer,
  AuthorizationQuestion,
  Authorize,
  ResourceAttributes,
} from "./kubernetes/authorizer.ts";
export { CelJsonPatch, CelPartialObject, MUTATION } from "./kubernetes/mutation.ts";
export { CelQuantity } from "./kubernetes/quantity.ts";
export { BINDINGS } from "./library/bindings.ts";
export { ENCODERS } from "./library/encoders.ts";
export { listsLibrary } from "./library/lists.ts";
export { MATH } from "./library/math.ts";
export { OPTIONAL_LIBRARY } from "./library/optional.ts";
export { SETS } from "./library/sets.ts";
export { stringsLibrary } from "./library/strings.ts";
export { TWO_VARIABLES } from "./library/comprehensions.ts";
export { STANDARD } from "./library/standard.ts";
