/** Reconciles InstallPlans: waits for the approval, runs the steps, and reports what became of them. */
import { isApiError } from "@capstan/client";
import { isDeepEqual } from "@capstan/model";
import { requeue, watch } from "@capstan/runtime";
import type { Controller, ReconcileResult } from "@capstan/runtime";
import { Role, RoleBinding } from "@capstan/kinds/rbac.authorization.k8s.io/v1";
import { serviceAccountOf } from "../group/service-account.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import type { InstallPlanCondition, InstallPlanStatus } from "../kinds/install-plan.ts";
import { OperatorGroup } from "../kinds/operator-group.ts";
import type { ObjectReference } from "../kinds/subscription.ts";
import { defineSync } from "../manager/define.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";
import { execute } from "./execute.ts";

/** How long errors of steps are retried. */
const RETRY_WINDOW = 60_000;
const RETRY = 5_000;

type PlanSync = Sync<InstallPlan>;

/** The controller. */
export function installPlanController(setting: ManagerSetting): Controller {
  return defineSync({
    name: "installplan",
    kind: InstallPlan,
    watches: [watch(InstallPlan, ({ metadata }) => [`${metadata.namespace}/${metadata.name}`])],
    sync: (sync) => reconcile(sync, setting),
  });
}

async function reconcile(sync: PlanSync, setting: ManagerSetting): Promise<ReconcileResult> {
  const { object: plan } = sync;
  const { status } = plan;
  if (status === undefined || plan.metadata.deletionTimestamp !== undefined) return undefined;
  if ((status.plan ?? []).length === 0 && (status.bundleLookups ?? []).length === 0) return undefined;
  if (status.phase === "Complete") return undefined;
  if (status.phase === "Failed") return retryScoped(sync, setting);
  const { namespace = "" } = plan.metadata;
  const account = serviceAccountOf(sync.find(OperatorGroup, { namespace }));
  if ("error" in account) {
    await write(
      plan,
      { ...status, conditions: installed(status, failure("InstallCheckFailed", account.error, setting)) },
      setting,
    );
    return requeue(RETRY, { reason: account.error });
  }
  const cleared = withoutCheckFailure(status, setting);
  if (cleared !== status) {
    await write(plan, cleared, setting);
    return undefined;
  }
  if (account.reference !== undefined && !isSame(account.reference, status.attenuatedServiceAccountRef)) {
    await write(plan, { ...status, attenuatedServiceAccountRef: account.reference }, setting);
    return undefined;
  }
  return transition({ sync, setting, status });
}

/** Whether the plan refers to exactly this account: what users write into its status must not choose another. */
function isSame(account: ObjectReference, known: ObjectReference | undefined): boolean {
  return known?.uid === account.uid && known?.name === account.name && known?.namespace === account.namespace;
}

interface Running {
  readonly sync: PlanSync;
  readonly setting: ManagerSetting;
  readonly status: InstallPlanStatus;
}

async function transition({ sync, setting, status }: Running): Promise<ReconcileResult> {
  const { object: plan } = sync;
  switch (status.phase) {
    case "RequiresApproval":
      if (plan.spec.approved) await write(plan, without({ ...status, phase: "Installing" }), setting);
      return undefined;
    case "Installing":
      return run({ sync, setting, status });
    case "":
    case "Planning":
    case "Complete":
    case "Failed":
      return undefined;
    default:
      return status.phase satisfies never;
  }
}

function without({ message: _message, ...status }: InstallPlanStatus): InstallPlanStatus {
  return status;
}

async function run({ sync, setting, status }: Running): Promise<ReconcileResult> {
  const { object: plan } = sync;
  const startTime = status.startTime ?? nowOf(setting.clock);
  const reference = status.attenuatedServiceAccountRef;
  const cluster = reference === undefined ? setting.cluster : setting.as(accountOf(reference, plan));
  const warn = (message: string): void => sync.event("Warning", "CRDValidation", message);
  const { steps, error } = await execute({ plan, setting, cluster, warn });
  const next: InstallPlanStatus = { ...status, startTime, plan: steps };
  if (error !== undefined) return fail(error, { sync, setting, status: next });
  if (steps.some(({ status: step }) => step === "WaitingForApi")) {
    await write(plan, next, setting);
    return requeue("200ms", { reason: "a CRD is not served yet" });
  }
  const done = { type: "Installed", status: "True", ...times(setting) } as const;
  await write(plan, without({ ...next, phase: "Complete", conditions: installed(next, done) }), setting);
  return undefined;
}

function accountOf(
  { name = "", namespace }: ObjectReference,
  plan: InstallPlan,
): { readonly name: string; readonly namespace: string } {
  return { name, namespace: namespace ?? plan.metadata.namespace ?? "" };
}

/** What is forbidden may be allowed later; everything else is retried for a minute. */
async function fail(error: Error, { sync, setting, status }: Running): Promise<ReconcileResult> {
  const { object: plan } = sync;
  const elapsed = setting.clock.wall() - Date.parse(status.startTime ?? "");
  if (isApiError(error, "Forbidden") || elapsed < RETRY_WINDOW) {
    await write(plan, { ...status, message: `retrying execution due to error: ${error.message}` }, setting);
    return requeue(RETRY, { reason: error.message });
  }
  const condition = failure("InstallComponentFailed", error.message, setting);
  const conditions = installed(status, condition);
  await write(plan, { ...status, phase: "Failed", message: error.message, conditions }, setting);
  return undefined;
}

function times({ clock }: ManagerSetting): { readonly lastTransitionTime: string; readonly lastUpdateTime: string } {
  const now = nowOf(clock);
  return { lastTransitionTime: now, lastUpdateTime: now };
}

function failure(reason: string, message: string, setting: ManagerSetting): InstallPlanCondition {
  return { type: "Installed", status: "False", reason, message, ...times(setting) };
}

function installed(
  { conditions = [] }: InstallPlanStatus,
  condition: InstallPlanCondition,
): readonly InstallPlanCondition[] {
  const old = conditions.find(({ type }) => type === condition.type);
  const isSame =
    old?.status === condition.status && old.reason === condition.reason && old.message === condition.message;
  return [...conditions.filter(({ type }) => type !== condition.type), isSame ? old : condition];
}

/** The status without the report of an unusable service account, once it is usable. */
function withoutCheckFailure(status: InstallPlanStatus, setting: ManagerSetting): InstallPlanStatus {
  const old = status.conditions?.find(({ type }) => type === "Installed");
  if (old?.reason !== "InstallCheckFailed") return status;
  return { ...status, conditions: installed(status, failure("Unknown", "", setting)) };
}

/** A failed plan of a service account runs again when the roles of the namespace change. */
async function retryScoped({ object: plan, find, triggers }: PlanSync, setting: ManagerSetting): Promise<undefined> {
  const { status, metadata } = plan;
  if (status?.attenuatedServiceAccountRef === undefined) return undefined;
  const namespace = metadata.namespace ?? "";
  find(Role, { namespace });
  find(RoleBinding, { namespace });
  const hasChanged = triggers.some(({ kind }) => kind === "Role" || kind === "RoleBinding");
  if (hasChanged) await write(plan, { ...status, phase: "Installing" }, setting);
  return undefined;
}

/** Writes the status. A label that was added meanwhile does not make the steps run again. */
async function write(plan: InstallPlan, status: InstallPlanStatus, { cluster }: ManagerSetting): Promise<void> {
  try {
    await cluster.changeStatus(InstallPlan, { before: plan, after: { ...plan, status } });
  } catch (error) {
    if (!isApiError(error, "Conflict")) throw error;
    const { namespace = "", name } = plan.metadata;
    const before = await cluster.get(InstallPlan, { namespace, name });
    if (before === undefined || !isDeepEqual(before.status, plan.status)) throw error;
    await cluster.changeStatus(InstallPlan, { before, after: { ...before, status } });
  }
}
