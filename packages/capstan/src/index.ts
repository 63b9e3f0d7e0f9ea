/** The Kubernetes operator framework for TypeScript: the one name that users import. */

// Describe a resource.
export { defineResource, DefinitionError, s } from "@capstan/schema";
export type { Condition, Infer, InferInput, Resource, Rule } from "@capstan/schema";

// Write a controller.
export {
  again,
  allOf,
  annotationsChanged,
  anyChange,
  anyOf,
  bringUp,
  controller,
  counter,
  dependent,
  fieldsChanged,
  gauge,
  generationChanged,
  histogram,
  index,
  isReady,
  labelsChanged,
  not,
  operator,
  Retry,
  schedule,
  stream,
  Terminal,
  timer,
  watches,
} from "@capstan/runtime";
export type {
  Answer,
  Cause,
  Context,
  DaemonContext,
  Dependent,
  Progress,
  Controller,
  ControllerOptions,
  Metric,
  Operator,
  Predicate,
  Source,
} from "@capstan/runtime";

// What Kubernetes objects are.
export { compareQuantities, parseQuantity, quantityToInteger } from "@capstan/model";
export type { ApplyOf, Kind, KubeObject, ObjectOf, StoredObject } from "@capstan/model";

// Time as a value that is handed in, for what an operator does beside reconciling.
export { systemClock } from "@capstan/runtime";
export type { Clock } from "@capstan/runtime";
