/** Rolls Subscriptions back: the version before replaces the current one, by a plan and the state machine of every upgrade. */
import { durationToMilliseconds, parseDuration } from "@capstan/model";
import { requeue } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { setPhase } from "../csv/phase.ts";
import type { Phase } from "../csv/phase.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import { Subscription } from "../kinds/subscription.ts";
import type { SubscriptionCondition } from "../kinds/subscription.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";
import { withCondition } from "../subscription/conditions.ts";
import {
  type Rollback,
  replacesAnnotation,
  rollbackAfterAnnotation,
  rollBackFromAnnotation,
  rollbackOf,
  rollbackPlanAnnotation,
  rollBackToAnnotation,
} from "./annotations.ts";
import { ensureRollbackPlan } from "./plan.ts";
import { rollBackSubscription } from "./request.ts";

type SubscriptionSync = Sync<Subscription>;

const LOOK = 1_000;
const REFUSED_RETRY = 60_000;

/** The controller. */
export function rollbackController(setting: ManagerSetting): Controller {
  return defineSync({ name: "rollback", kind: Subscription, sync: (sync) => reconcile(sync, setting) });
}

async function reconcile(sync: SubscriptionSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object } = sync;
  if (object.metadata.deletionTimestamp !== undefined) return undefined;
  const rollback = rollbackOf(object);
  return rollback === undefined ? watchDeadline(sync, setting) : rollBack(rollback, { sync, setting });
}

/** With the annotation, a version that has not succeeded in time is rolled back. */
async function watchDeadline(sync: SubscriptionSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { metadata, status } = sync.object;
  const after = metadata.annotations?.[rollbackAfterAnnotation];
  const csv = csvOf(sync, status?.currentCSV ?? "");
  if (after === undefined || csv === undefined || csv.status?.phase === "Succeeded") return undefined;
  // The version before is deleted as soon as the new one has succeeded once.
  if (csvOf(sync, csv.spec.replaces ?? "") === undefined) return undefined;
  const milliseconds = millisecondsOf(after);
  if (milliseconds === undefined) {
    const message = `the annotation ${rollbackAfterAnnotation} must be a duration such as 10m, not ${after}`;
    await report(sync, { type: "RolledBack", status: "False", reason: "InvalidDeadline", message }, setting);
    return undefined;
  }
  const left = Date.parse(csv.metadata.creationTimestamp) + milliseconds - setting.clock.wall();
  if (left > 0) return requeue(left + 100, { reason: "the new version has not succeeded yet" });
  const { namespace = "", name } = metadata;
  const result = await rollBackSubscription({ namespace, name }, setting.cluster);
  if (result.type === "started") {
    sync.event("Warning", "RollbackStarted", `${result.from} has not succeeded within ${after}: back to ${result.to}`);
    return undefined;
  }
  const message = `${csv.metadata.name} has not succeeded within ${after} and cannot be rolled back: ${result.reasons.join("; ")}`;
  await report(sync, { type: "RolledBack", status: "False", reason: "Refused", message }, setting);
  return requeue(REFUSED_RETRY, { reason: message });
}

function millisecondsOf(text: string): number | undefined {
  try {
    return durationToMilliseconds(parseDuration(text));
  } catch {
    // The condition says what is wrong.
    return undefined;
  }
}

function csvOf({ get, object }: SubscriptionSync, name: string): ClusterServiceVersion | undefined {
  const { namespace = "" } = object.metadata;
  return name === "" ? undefined : get(ClusterServiceVersion, { namespace, name });
}

interface Rolling {
  readonly sync: SubscriptionSync;
  readonly setting: ManagerSetting;
}

/** One step towards the version before. Every step may be repeated after a crash. */
async function rollBack(rollback: Rollback, { sync, setting }: Rolling): Promise<ReconcileResult> {
  const { from, to } = rollback;
  const { cluster } = setting;
  const { namespace = "" } = sync.object.metadata;
  sync.find(ClusterServiceVersion, { namespace });
  sync.find(InstallPlan, { namespace });
  const old = await cluster.get(ClusterServiceVersion, { namespace, name: from });
  const next = await cluster.get(ClusterServiceVersion, { namespace, name: to });
  const message = `${from} is being rolled back to ${to}`;
  await report(sync, { type: "RolledBack", status: "False", reason: "RollingBack", message }, setting);
  if (old !== undefined && old.spec.replaces === to) await setReplaces(old, undefined, setting);
  const isLeaving = next?.metadata.deletionTimestamp !== undefined || next?.status?.phase === "Deleting";
  if (isLeaving) return requeue(LOOK, { reason: `${to} is still being deleted` });
  const plan = await ensureRollbackPlan(sync.object, { rollback, cluster });
  if (plan.status?.phase === "Failed") {
    const failed = `the plan ${plan.metadata.name} failed: ${plan.status.message ?? ""}`;
    await report(sync, { type: "RolledBack", status: "False", reason: "PlanFailed", message: failed }, setting);
    return undefined;
  }
  if (plan.status?.phase !== "Complete" || next === undefined) return requeue(LOOK, { reason: "the plan runs" });
  return exchange({ old, next, rollback }, { sync, setting });
}

interface Exchange {
  readonly old: ClusterServiceVersion | undefined;
  readonly next: ClusterServiceVersion;
  readonly rollback: Rollback;
}

/** The plan is complete: the version before replaces the one that is left, as in an upgrade. */
async function exchange({ old, next, rollback }: Exchange, { sync, setting }: Rolling): Promise<ReconcileResult> {
  const { from, to } = rollback;
  if (old !== undefined) {
    const taken = next.spec.replaces === from ? next : await setReplaces(next, from, setting);
    const { phase } = taken.status ?? {};
    if (phase === "Replacing")
      await setCsvPhase(taken, { phase: "Pending", reason: "DetectedClusterChange", message: "rolls back" }, setting);
    const left = old.status?.phase ?? "";
    const message = `being replaced by csv: ${to}`;
    if (!["Succeeded", "Replacing", "Deleting"].includes(left))
      await setCsvPhase(old, { phase: "Replacing", reason: "BeingReplaced", message }, setting);
    return requeue(LOOK, { reason: `${to} takes over from ${from}` });
  }
  if (next.status?.phase === "Replacing") {
    await setCsvPhase(next, { phase: "Pending", reason: "DetectedClusterChange", message: "rolls back" }, setting);
    return requeue(LOOK, { reason: `${to} is installed again` });
  }
  if (next.status?.phase !== "Succeeded") return requeue(LOOK, { reason: `${to} is ${next.status?.phase ?? "new"}` });
  if (next.spec.replaces === from) await setReplaces(next, await replacedBefore(next, rollback, setting), setting);
  const message = `${from} was rolled back to ${to}; it is not installed again while the annotation lifecycle.capstan.dev/excluded-versions names it`;
  await report(sync, { type: "RolledBack", status: "True", reason: "RolledBack", message }, setting);
  await finish(sync, setting);
  sync.event("Normal", "RolledBack", message);
  return undefined;
}

/** What the version before replaced, as the plan of the rollback notes it. */
async function replacedBefore(
  { metadata: { namespace = "" } }: ClusterServiceVersion,
  { plan: name }: Rollback,
  { cluster }: ManagerSetting,
): Promise<string | undefined> {
  const plan = await cluster.get(InstallPlan, { namespace, name });
  const replaces = plan?.metadata.annotations?.[replacesAnnotation] ?? "";
  return replaces === "" ? undefined : replaces;
}

async function setReplaces(
  csv: ClusterServiceVersion,
  replaces: string | undefined,
  { cluster }: ManagerSetting,
): Promise<ClusterServiceVersion> {
  const { replaces: _, ...spec } = csv.spec;
  const after = { ...csv, spec: replaces === undefined ? spec : { ...spec, replaces } };
  return cluster.change(ClusterServiceVersion, { before: csv, after });
}

async function setCsvPhase(
  csv: ClusterServiceVersion,
  phase: Phase,
  { cluster, clock }: ManagerSetting,
): Promise<void> {
  const status = setPhase(csv.status, phase, nowOf(clock));
  await cluster.changeStatus(ClusterServiceVersion, { before: csv, after: { ...csv, status } });
}

async function report(
  { object }: SubscriptionSync,
  condition: SubscriptionCondition,
  { cluster, clock }: ManagerSetting,
): Promise<void> {
  const { namespace = "", name } = object.metadata;
  const before = await cluster.get(Subscription, { namespace, name });
  if (before === undefined) return;
  const now = nowOf(clock);
  const known = before.status ?? { lastUpdated: now };
  const status = withCondition(known, { ...condition, lastTransitionTime: now }, now);
  if (status !== known) await cluster.changeStatus(Subscription, { before, after: { ...before, status } });
}

async function finish({ object }: SubscriptionSync, { cluster }: ManagerSetting): Promise<void> {
  const { namespace = "", name } = object.metadata;
  const before = await cluster.get(Subscription, { namespace, name });
  if (before === undefined) return;
  const {
    [rollBackFromAnnotation]: _from,
    [rollBackToAnnotation]: _to,
    [rollbackPlanAnnotation]: _plan,
    ...annotations
  } = before.metadata.annotations ?? {};
  await cluster.change(Subscription, { before, after: { ...before, metadata: { ...before.metadata, annotations } } });
}
