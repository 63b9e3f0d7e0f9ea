/** The Kubernetes operator framework for TypeScript: the only package that users import. */

// Describe a resource.
export { defineResource, DefinitionError, s } from "@capstan/schema";
export type { Condition, HookCall, Infer, InferInput, Resource, Rule, ValidateContext } from "@capstan/schema";

// Write a controller.
export {
  allOf,
  annotationsChanged,
  anyChange,
  anyOf,
  applyInOrder,
  controller,
  counter,
  cron,
  deletionChanged,
  dependent,
  desiredStateChanged,
  every,
  fieldsChanged,
  gauge,
  generationChanged,
  histogram,
  index,
  isReady,
  labelsChanged,
  not,
  operator,
  parseCron,
  pauseAnnotation,
  requeue,
  RuntimeError,
  stream,
  TerminalError,
  toMilliseconds,
  watch,
} from "@capstan/runtime";
export type {
  Context,
  Controller,
  ControllerOptions,
  CronOptions,
  CronSchedule,
  DaemonContext,
  Dependent,
  DependentContext,
  DependentOptions,
  Duration,
  Log,
  Metric,
  Operator,
  OperatorDefinition,
  Phases,
  PodOptions,
  Predicate,
  Previous,
  Progress,
  ReconcileResult,
  ReconcileTrigger,
  Requeue,
  RequeueOptions,
  RunOptions,
  RuntimeErrorCode,
  Source,
  SourceOptions,
  Span,
  StepRun,
  Tracer,
  WatchDeclaration,
  WatchOptions,
} from "@capstan/runtime";

// Say what is billable.
export { meter, record } from "@capstan/metering/declare";
export type {
  EventMeter,
  EventMeterOptions,
  MeterOptions,
  MeterPath,
  ObjectMeter,
  RecordOptions,
} from "@capstan/metering/declare";

// Errors of an API server, with a code each.
export { ApiError, isApiError } from "@capstan/client";
export type { ApiErrorCode } from "@capstan/client";

// Types of Kubernetes objects.
export { compareQuantities, parseQuantity, quantityToInteger } from "@capstan/model";
export type { ApplyOf, Kind, KubeObject, ObjectOf, StoredObject } from "@capstan/model";

// The clock as a value that is passed in, for what an operator does beside reconciling.
export { systemClock } from "@capstan/runtime";
export type { Clock } from "@capstan/runtime";
