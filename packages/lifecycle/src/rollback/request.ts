/** Asks for the rollback of a Subscription to the version before, if nothing that is stored would be lost. The manager does the rest. */
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Cluster } from "../cluster/cluster.ts";
import { manifestOf } from "../install-plan/manifest.ts";
import { ClusterServiceVersion } from "../kinds/csv.ts";
import { InstallPlan, type Step } from "../kinds/install-plan.ts";
import { Subscription } from "../kinds/subscription.ts";
import {
  excludedAnnotation,
  excludedOf,
  rollBackFromAnnotation,
  rollBackToAnnotation,
  rollbackOf,
  rollbackPlanAnnotation,
} from "./annotations.ts";
import type { RollbackResult } from "./extension.ts";
import { judgeStored } from "./stored.ts";

/** A Subscription by its name. */
export interface SubscriptionKey {
  readonly namespace: string;
  readonly name: string;
}

/** Judges the rollback, and asks for it. The version that is left is excluded until users allow it again. */
export async function rollBackSubscription(key: SubscriptionKey, cluster: Cluster): Promise<RollbackResult> {
  const { namespace, name } = key;
  const before = await cluster.get(Subscription, key);
  if (before === undefined) return refused(`the namespace ${namespace} has no Subscription ${name}`);
  const known = rollbackOf(before);
  if (known !== undefined) return { type: "started", from: known.from, to: known.to };
  const plans = await cluster.list(InstallPlan, { namespace });
  const target = await targetOf(before, { plans, cluster });
  if ("type" in target) return target;
  const reasons = await refusalsFor(target.steps, { cluster, namespace });
  if (reasons.length > 0) return { type: "refused", reasons };
  const { from, to } = target;
  const generation = Math.max(0, ...plans.map(({ spec }) => spec.generation ?? 0)) + 1;
  const annotations = {
    ...before.metadata.annotations,
    [rollBackFromAnnotation]: from,
    [rollBackToAnnotation]: to,
    [rollbackPlanAnnotation]: `rollback-${generation}`,
    [excludedAnnotation]: [...new Set([...excludedOf(before), from])].join(","),
  };
  await cluster.change(Subscription, { before, after: { ...before, metadata: { ...before.metadata, annotations } } });
  return { type: "started", from, to };
}

function refused(reason: string): Extract<RollbackResult, { readonly type: "refused" }> {
  return { type: "refused", reasons: [reason] };
}

interface Target {
  readonly from: string;
  readonly to: string;
  readonly steps: readonly Step[];
}

async function targetOf(
  { metadata, status }: Subscription,
  { plans, cluster }: { readonly plans: readonly InstallPlan[]; readonly cluster: Cluster },
): Promise<Target | ReturnType<typeof refused>> {
  const { namespace = "", name } = metadata;
  const from = status?.currentCSV ?? "";
  if (from === "") return refused(`the Subscription ${name} has installed nothing yet`);
  const csv = await cluster.get(ClusterServiceVersion, { namespace, name: from });
  if (csv === undefined)
    return refused(`${from} is not installed: \`capstan lifecycle status\` says what it waits for`);
  const to = csv.spec.replaces ?? "";
  if (to === "") return refused(`${from} replaced no other version, so there is none to go back to`);
  const steps = stepsFor(to, plans);
  if (steps.length > 0) return { from, to, steps };
  return refused(`the plan that installed ${to} does not exist any more; plans are kept for five upgrades`);
}

/** The newest plan that installed a version. */
export function planFor(csv: string, plans: readonly InstallPlan[]): InstallPlan | undefined {
  return plans
    .filter(({ spec, status }) => status?.phase === "Complete" && spec.clusterServiceVersionNames.includes(csv))
    .toSorted((a, b) => (b.spec.generation ?? 0) - (a.spec.generation ?? 0))[0];
}

/** Its steps for this version. */
export function stepsFor(csv: string, plans: readonly InstallPlan[]): readonly Step[] {
  // Subscriptions of dependencies are not part of an operator.
  return (planFor(csv, plans)?.status?.plan ?? []).filter(
    ({ resolving, resource }) => resolving === csv && resource.kind !== "Subscription",
  );
}

async function refusalsFor(
  steps: readonly Step[],
  { cluster, namespace }: { readonly cluster: Cluster; readonly namespace: string },
): Promise<readonly string[]> {
  const reasons: string[] = [];
  for (const step of steps.filter(({ resource }) => resource.kind === "CustomResourceDefinition")) {
    const live = await cluster.get(CustomResourceDefinition, { namespace: "", name: step.resource.name });
    if (live === undefined) continue;
    // The manifest of a CRD has the shape of its kind.
    const next = (await manifestOf(step, { cluster, namespace })) as unknown as CustomResourceDefinition;
    reasons.push(...(await judgeStored(live, next, { cluster })).refusals);
  }
  return reasons;
}
