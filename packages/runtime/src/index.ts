/** Runs controllers: watch, cache, trigger, queue, reconcile, apply, and a manager around them. */

// Declarations.
export { controller, watch } from "./define.ts";
export type { Controller, ControllerOptions, WatchDeclaration, WatchOptions } from "./define.ts";
export { requeue } from "./reconcile/outcome.ts";
export type { Outcome, ReconcileResult, Requeue, RequeueOptions } from "./reconcile/outcome.ts";
export type {
  ConditionOf,
  Context,
  DesiredOf,
  FindQuery,
  NewReference,
  ReadContext,
  Reference,
  StatusDraft,
} from "./reconcile/context.ts";
export { index } from "./cache/lookup.ts";
export type { Lookup } from "./cache/lookup.ts";
export { applyInOrder, dependent } from "./reconcile/dependents.ts";
export type { Dependent, DependentOptions, DependentContext, Progress } from "./reconcile/dependents.ts";
export type { DaemonContext } from "./reconcile/daemons.ts";
export { isReady } from "./reconcile/readiness.ts";
export type { Phases } from "./reconcile/phases.ts";
export type { Step, StepRun } from "./reconcile/steps.ts";
export { pauseAnnotation } from "./reconcile/pause.ts";
export { RuntimeError, TerminalError, toMilliseconds } from "./errors.ts";
export type { Duration, RuntimeErrorCode } from "./errors.ts";

// Triggers and predicates.
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
export { cron, every, stream } from "./trigger/source.ts";
export type { CronOptions, Source, SourceOptions } from "./trigger/source.ts";
export { parseCron } from "./trigger/cron.ts";
export type { CronSchedule } from "./trigger/cron.ts";
export type { ReconcileTrigger } from "./trigger/reconcile-trigger.ts";

// Operators.
export { operator } from "./operator.ts";
export type { Operator } from "./operator.ts";
export { loadWithoutRunning } from "./program/loading.ts";
export type { Loaded, ModuleFacts } from "./program/loading.ts";
export { apiOf } from "./client-api.ts";
export { RunningOperator } from "./manager/operator.ts";
export type { LeaderElection, OperatorDefinition, StartOptions } from "./manager/operator.ts";
export type { PodOptions } from "./manager/pod-options.ts";
export type { MeterDeclaration } from "./meter-declaration.ts";
export type { Previous } from "./inventory/previous.ts";
export type { KnownKind, Snapshot } from "./cache/snapshot.ts";
export type { RunOptions } from "./program/main.ts";
export type { ReconcileRecord } from "./report/explain.ts";
export { formatPlan } from "./plan/plan.ts";
export type { FieldChange, Plan, PlannedWrite, Unplanned } from "./plan/plan.ts";
export { installCrds } from "./crds/crds.ts";
export type { InstallOptions } from "./crds/crds.ts";
export { nodeFlags } from "./program/node-flags.ts";
export { formatHelp, readSettings } from "./program/settings.ts";
export type { Settings, SettingSources } from "./program/settings.ts";
export { traceAnnotation } from "./trigger/trace.ts";
export type { Span, Tracer } from "./report/tracer.ts";
export { counter, gauge, histogram } from "./metrics/metric.ts";
export type { Metric, MetricOf } from "./metrics/metric.ts";
export type { Api } from "./api.ts";
export { systemClock, systemRandom } from "./clock.ts";
export type { Clock, Random, Timer } from "./clock.ts";
export { createLog, silentLog } from "./log.ts";
export type { Level, Log, LogFields, LogOptions } from "./log.ts";
