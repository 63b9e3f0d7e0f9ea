/** Runs controllers: watch, cache, trigger, queue, reconcile, apply, and a manager around them. */

// What users write.
export { controller, watches } from "./define.ts";
export type { Controller, ControllerOptions, WatchDeclaration } from "./define.ts";
export { again } from "./reconcile/outcome.ts";
export type { Again, Answer, Outcome } from "./reconcile/outcome.ts";
export type {
  ConditionOf,
  Context,
  DeepReadonly,
  DesiredOf,
  FindQuery,
  ReadContext,
  StatusDraft,
} from "./reconcile/context.ts";
export { index } from "./cache/lookup.ts";
export type { Lookup } from "./cache/lookup.ts";
export { bringUp, dependent } from "./reconcile/dependents.ts";
export type { Dependent, DependentOptions, Making, Progress } from "./reconcile/dependents.ts";
export type { DaemonContext } from "./reconcile/daemons.ts";
export { isReady } from "./reconcile/readiness.ts";
export type { Phases } from "./reconcile/phases.ts";
export type { Step, StepRun } from "./reconcile/steps.ts";
export { PAUSE_ANNOTATION } from "./reconcile/pause.ts";
export { Retry, RuntimeError, Terminal, toMilliseconds } from "./errors.ts";
export type { Duration, RuntimeErrorCode, SaidDuration } from "./errors.ts";

// What wakes an object.
export {
  allOf,
  annotationsChanged,
  anyChange,
  anyOf,
  deletionChanged,
  desiredStateChanged,
  fieldsChanged,
  generationChanged,
  labelsChanged,
  not,
} from "./trigger/predicate.ts";
export type { FieldPath, Predicate } from "./trigger/predicate.ts";
export { schedule, stream, timer } from "./trigger/source.ts";
export type { Source } from "./trigger/source.ts";
export type { Cause } from "./trigger/cause.ts";

// What runs it.
export { operator } from "./operator.ts";
export type { Operator } from "./operator.ts";
export { loadWithoutRunning } from "./manager/loading.ts";
export type { Loaded, ModuleFacts } from "./manager/loading.ts";
export { apiOf } from "./client-api.ts";
export { RunningOperator } from "./manager/operator.ts";
export type { LeaderElection, OperatorDefinition, StartOptions } from "./manager/operator.ts";
export type { Formerly } from "./manager/formerly.ts";
export type { KnownKind, Snapshot } from "./cache/snapshot.ts";
export type { RunOptions } from "./manager/main.ts";
export type { TurnRecord } from "./manager/explain.ts";
export { formatPlan } from "./manager/plan.ts";
export type { FieldChange, Plan, PlannedWrite, Unplanned } from "./manager/plan.ts";
export { installCrds } from "./manager/crds.ts";
export type { InstallOptions } from "./manager/crds.ts";
export { nodeFlags } from "./manager/node-flags.ts";
export { formatHelp, readSettings } from "./manager/settings.ts";
export type { Settings, SettingSources } from "./manager/settings.ts";
export { TRACE_ANNOTATION } from "./trigger/trace.ts";
export type { Span, Tracer } from "./manager/tracer.ts";
export { counter, gauge, histogram } from "./manager/metric.ts";
export type { Metric, MetricOf } from "./manager/metric.ts";
export type { Api } from "./api.ts";
export { systemClock, systemRandom } from "./clock.ts";
export type { Clock, Random, Timer } from "./clock.ts";
export { createLog, silentLog } from "./log.ts";
export type { Level, Log, LogFields, LogOptions } from "./log.ts";
