/** The Kubernetes operator framework for TypeScript: the one name that users import. */

// Describe a resource.
export { defineResource, DefinitionError, s } from "@capstan/schema";
export type { Condition, HookCall, Infer, InferInput, Resource, Rule, ValidateContext } from "@capstan/schema";

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
  PAUSE_ANNOTATION,
  Retry,
  RuntimeError,
  schedule,
  stream,
  Terminal,
  timer,
  toMilliseconds,
  watches,
} from "@capstan/runtime";
export type {
  Answer,
  Cause,
  Context,
  Controller,
  ControllerOptions,
  DaemonContext,
  Dependent,
  DependentOptions,
  Duration,
  Log,
  Metric,
  Operator,
  Formerly,
  OperatorDefinition,
  Phases,
  Predicate,
  Progress,
  RunOptions,
  RuntimeErrorCode,
  Source,
  Span,
  StepRun,
  Tracer,
  WatchDeclaration,
} from "@capstan/runtime";

// What an API server refused: told apart by its code.
export { ApiError, isApiError } from "@capstan/client";
export type { ApiErrorCode } from "@capstan/client";

// What Kubernetes objects are.
export { compareQuantities, parseQuantity, quantityToInteger } from "@capstan/model";
export type { ApplyOf, Kind, KubeObject, ObjectOf, StoredObject } from "@capstan/model";

// Time as a value that is handed in, for what an operator does beside reconciling.
export { systemClock } from "@capstan/runtime";
export type { Clock } from "@capstan/runtime";
