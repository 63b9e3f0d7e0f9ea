/** The basic types of Kubernetes objects: kinds, keys, metadata, selectors, Status, conditions, quantities. */
export type {
  Json,
  KubeList,
  KubeObject,
  ManagedFieldsEntry,
  ObjectMeta,
  OwnerReference,
  StoredMeta,
  StoredObject,
} from "./object.ts";
export { formatAge } from "./age.ts";
export type { Clock, Timer } from "./clock.ts";
export { addInto, containerTotals, maxInto, podLimits, podRequests, podTotals } from "./pod-resources.ts";
export type { PodResources, Requirements, ResourceHalf, ResourceList } from "./pod-resources.ts";
export { qosClassOf } from "./qos.ts";
export type { QosClass } from "./qos.ts";
export { apiVersionOf } from "./kind.ts";
export type { ApplyOf, Kind, ObjectOf, Scope } from "./kind.ts";
export { formatKey, keyOf, parseKey } from "./key.ts";
export type { ObjectKey } from "./key.ts";
export {
  formatApiVersion,
  formatGroupKind,
  formatGroupResource,
  formatGroupVersionKind,
  kindOf,
  parseApiVersion,
  parseGroupResource,
} from "./group-version.ts";
export type {
  GroupKind,
  GroupResource,
  GroupVersion,
  GroupVersionKind,
  GroupVersionResource,
} from "./group-version.ts";
export { ParseError } from "./parse-error.ts";
export type { ParseErrorCode } from "./parse-error.ts";
export { byteLength, fromGoBytes, parseInt64, quote, toGoJson } from "./go-text.ts";
export { isLargeInteger, parseExactJson, parseWithNumbers } from "./exact-json.ts";
export type { ReadNumber } from "./exact-json.ts";
export {
  checkCIdentifier,
  checkConfigMapKey,
  checkDns1035Label,
  checkDns1123Label,
  checkDns1123Subdomain,
  checkDns1123SubdomainWithUnderscore,
  checkEnvVarName,
  checkHttpHeaderName,
  checkLabelValue,
  checkPathSegment,
  checkPercent,
  checkPortName,
  checkPortNumber,
  checkQualifiedName,
  checkRelaxedEnvVarName,
  checkWildcardDns1123Subdomain,
  maxBytesMessage,
  maxLengthMessage,
  patternMessage,
  rangeMessage,
} from "./names.ts";
export { childPath, itemPath } from "./field-path.ts";
export type { FieldPath } from "./field-path.ts";
export * as fieldErrors from "./field-error.ts";
export type { FieldError, FieldErrorType } from "./field-error.ts";
export { StatusError, isStatus, toFailure } from "./status.ts";
export type { Status, StatusCause, StatusDetails, StatusReason } from "./status.ts";
export * as apiErrors from "./api-error.ts";
export type { GenericResponse } from "./api-error.ts";
export {
  checkRequirement,
  exactLabelValue,
  formatLabelSelector,
  fromLabelSelectorObject,
  fromLabels,
  matchesLabels,
} from "./label-selector.ts";
export type { LabelOperator, LabelRequirement, LabelSelector, LabelSelectorObject, Labels } from "./label-selector.ts";
export { parseLabelSelector } from "./label-selector-parser.ts";
export { exactFieldValue, formatFieldSelector, matchesFields, parseFieldSelector } from "./field-selector.ts";
export type { FieldRequirement, FieldSelector } from "./field-selector.ts";
export {
  addQuantities,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  normalizeQuantity,
  parseQuantity,
  quantityToInteger,
  subtractQuantities,
  toQuantity,
} from "./quantity.ts";
export type { Quantity, QuantityFormat } from "./quantity.ts";
export { durationToMilliseconds, formatDuration, parseDuration } from "./duration.ts";
export { parseIntOrString, scaleIntOrPercent } from "./int-or-string.ts";
export type { IntOrString } from "./int-or-string.ts";
export { findCondition, isConditionStatus, removeCondition, setCondition } from "./condition.ts";
export type { Condition, ConditionStatus } from "./condition.ts";
export { isDeepEqual } from "./equality.ts";
export { deepFreeze } from "./frozen.ts";
export type { DeepReadonly } from "./frozen.ts";
export { cloneJson } from "./clone.ts";
export type { DeepMutable } from "./clone.ts";
export { compareJson, toCanonicalJson } from "./canonical.ts";
export {
  formatInstant,
  formatMicroInstant,
  formatMicroTime,
  formatTime,
  fromMilliseconds,
  parseMicroTime,
  parseTime,
  toMilliseconds,
} from "./timestamp.ts";
export type { Instant } from "./timestamp.ts";
