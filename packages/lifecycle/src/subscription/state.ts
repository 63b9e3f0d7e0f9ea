/** What the status of a Subscription says about its plan and its ClusterServiceVersion. */
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import type { InstallPlan } from "../kinds/install-plan.ts";
import type { ObjectReference, Subscription, SubscriptionStatus } from "../kinds/subscription.ts";
import type { Draft } from "./conditions.ts";
import { hasSteps } from "./ensure-plan.ts";

/** The annotation of a Subscription that a plan created. */
export const generatedByAnnotation = "olm.generated-by";

/** What exists in the namespace. */
export interface Existing {
  readonly plans: readonly InstallPlan[];
  readonly csvs: readonly ClusterServiceVersion[];
  readonly isFailForward: boolean;
  readonly now: string;
}

/** The fields of a status that refer to a plan. */
export function planReference(plan: InstallPlan): Pick<SubscriptionStatus, "installPlanRef" | "installplan"> {
  const { name, namespace = "", uid, resourceVersion } = plan.metadata;
  const type = { apiVersion: "operators.coreos.com/v1alpha1", kind: "InstallPlan", name };
  const reference: ObjectReference = { ...type, namespace, uid, resourceVersion };
  return { installPlanRef: reference, installplan: { ...type, uuid: uid } };
}

/** The next status, first for a Subscription that a plan created, then by its ClusterServiceVersion. */
export function nextState(subscription: Subscription, existing: Existing): Draft {
  return csvState(generatedState(subscription, existing), existing);
}

function generatedState({ metadata, spec, status = { lastUpdated: "" } }: Subscription, existing: Existing): Draft {
  if (status.installPlanRef !== undefined || status.installplan !== undefined) return status;
  const name = metadata.annotations?.[generatedByAnnotation];
  const plan = existing.plans.find((each) => each.metadata.name === name);
  if (plan === undefined) return status;
  const hasFailed = existing.isFailForward && plan.status?.phase === "Failed";
  return {
    ...status,
    ...planReference(plan),
    state: hasFailed ? "UpgradeFailed" : "UpgradePending",
    ...(spec.startingCSV === undefined ? {} : { currentCSV: spec.startingCSV }),
    lastUpdated: existing.now,
  };
}

/** At the latest known version as soon as the ClusterServiceVersion exists; pending before that. */
function csvState(status: Draft, { csvs, plans, isFailForward, now }: Existing): Draft {
  const { currentCSV = "" } = status;
  if (currentCSV === "") return status;
  const exists = csvs.some(({ metadata }) => metadata.name === currentCSV);
  if (exists) {
    if (status.state === "AtLatestKnown") return status;
    return { ...status, state: "AtLatestKnown", installedCSV: currentCSV, lastUpdated: now };
  }
  const plan = plans.find(({ metadata }) => metadata.name === status.installPlanRef?.name);
  const state = isFailForward && plan?.status?.phase === "Failed" ? "UpgradeFailed" : "UpgradePending";
  return status.state === state ? status : { ...status, state, lastUpdated: now };
}

/** Whether a Subscription waits for its plan. A plan that got no steps before a crash is made again. */
export function isPending({ status }: Subscription, plans: readonly InstallPlan[]): boolean {
  if (status?.installPlanRef === undefined || status.state !== "UpgradePending") return false;
  const plan = plans.find(({ metadata }) => metadata.name === status.installPlanRef?.name);
  return plan === undefined || hasSteps(plan);
}
