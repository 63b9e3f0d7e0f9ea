/** Creates InstallPlans in two steps, so that a crash between any two writes is harmless. */
import { isApiError } from "@capstan/client";
import type { Cluster } from "../cluster/cluster.ts";
import { nonBlockingOwner } from "../cluster/owners.ts";
import { InstallPlan } from "../kinds/install-plan.ts";
import type { InstallPlanStatus } from "../kinds/install-plan.ts";
import type { Subscription } from "../kinds/subscription.ts";
import type { PlanContent } from "./bundle-steps.ts";

/** The plan to create. */
export interface WantedPlan extends PlanContent {
  readonly namespace: string;
  readonly approval: "Automatic" | "Manual";
  readonly subscriptions: readonly Subscription[];
  readonly plans: readonly InstallPlan[];
}

/**
 * The plan without its steps: nothing runs yet. The Subscriptions refer to it before it gets them, so that a crash in between never
 * leaves an operator without its Subscription. A plan that got no steps before a crash is used again.
 */
export async function preparePlan(wanted: WantedPlan, cluster: Cluster): Promise<InstallPlan> {
  const names = csvNames(wanted);
  const unfinished = wanted.plans.find(
    (plan) => !hasSteps(plan) && plan.spec.clusterServiceVersionNames.toSorted().join() === names.toSorted().join(),
  );
  return unfinished ?? create(wanted, names, cluster);
}

/** Gives the plan its steps: from now on it runs, or waits for its approval. Labels that it got meanwhile are no reason to stop. */
export async function startPlan(plan: InstallPlan, wanted: WantedPlan, cluster: Cluster): Promise<void> {
  try {
    await cluster.changeStatus(InstallPlan, { before: plan, after: { ...plan, status: statusOf(wanted) } });
  } catch (error) {
    if (!isApiError(error, "Conflict")) throw error;
    const { namespace = "", name } = plan.metadata;
    const before = await cluster.get(InstallPlan, { namespace, name });
    if (before === undefined || hasSteps(before)) return;
    await cluster.changeStatus(InstallPlan, { before, after: { ...before, status: statusOf(wanted) } });
  }
}

/**
 * Plans that a crash left without steps, and whose operators exist meanwhile: nothing needs their steps any more, so they are complete.
 * Without this their Subscriptions would wait for them.
 */
export async function completeAbandoned(
  plans: readonly InstallPlan[],
  isInstalled: (csv: string) => boolean,
  cluster: Cluster,
): Promise<void> {
  for (const plan of plans) {
    const { clusterServiceVersionNames: names } = plan.spec;
    if (hasSteps(plan) || (plan.status?.phase ?? "") !== "" || names.length === 0 || !names.every(isInstalled))
      continue;
    const status: InstallPlanStatus = { phase: "Complete", plan: [], catalogSources: [] };
    await cluster.changeStatus(InstallPlan, { before: plan, after: { ...plan, status } });
  }
}

/** Whether a plan has its steps. */
export function hasSteps({ status }: InstallPlan): boolean {
  return (status?.plan ?? []).length > 0 || (status?.bundleLookups ?? []).length > 0;
}

function csvNames({ steps }: WantedPlan): readonly string[] {
  return steps.filter(({ resource }) => resource.kind === "ClusterServiceVersion").map(({ resource }) => resource.name);
}

async function create(wanted: WantedPlan, names: readonly string[], cluster: Cluster): Promise<InstallPlan> {
  const { namespace, approval, subscriptions, plans } = wanted;
  const known = [
    ...plans.map(({ spec }) => spec.generation ?? 0),
    ...subscriptions.map(({ status }) => status?.installPlanGeneration ?? 0),
  ];
  const metadata = { generateName: "install-", namespace, ownerReferences: subscriptions.map(nonBlockingOwner) };
  const spec = {
    clusterServiceVersionNames: names,
    approval,
    approved: approval === "Automatic",
    generation: Math.max(0, ...known) + 1,
  };
  return cluster.create(InstallPlan, { metadata, spec });
}

function statusOf({ steps, lookups, approval }: WantedPlan): InstallPlanStatus {
  const catalogSources = [...new Set(steps.map(({ resource }) => resource.sourceName))];
  const phase = approval === "Manual" ? "RequiresApproval" : "Installing";
  return { phase, plan: steps, catalogSources, ...(lookups.length === 0 ? {} : { bundleLookups: lookups }) };
}
