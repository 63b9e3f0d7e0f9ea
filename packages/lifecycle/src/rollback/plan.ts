/** The InstallPlan of a rollback: the steps that installed the version before, CRDs first, once more. */
import type { Cluster } from "../cluster/cluster.ts";
import { nonBlockingOwner } from "../cluster/owners.ts";
import { manifestOf } from "../install-plan/manifest.ts";
import { toStep } from "../install-plan/steps.ts";
import { InstallPlan, type Step } from "../kinds/install-plan.ts";
import { Subscription } from "../kinds/subscription.ts";
import { hasSteps } from "../subscription/ensure-plan.ts";
import { planReference } from "../subscription/state.ts";
import { replacesAnnotation } from "./annotations.ts";
import type { Rollback } from "./annotations.ts";
import { planFor, stepsFor } from "./request.ts";

interface Wanted {
  readonly rollback: Rollback;
  readonly cluster: Cluster;
}

/** Makes the plan, and refers to it before it gets its steps, so that a crash in between is harmless. */
export async function ensureRollbackPlan(subscription: Subscription, wanted: Wanted): Promise<InstallPlan> {
  const { cluster, rollback } = wanted;
  const { namespace = "" } = subscription.metadata;
  const plans = await cluster.list(InstallPlan, { namespace });
  const replaces = await replacesOf(planFor(rollback.to, plans), { namespace, wanted });
  const plan =
    plans.find(({ metadata }) => metadata.name === rollback.plan) ??
    (await create(subscription, plans, { ...wanted, replaces }));
  if (hasSteps(plan)) return plan;
  await refer(subscription, plan, wanted);
  const found = stepsFor(rollback.to, plans);
  const steps = await Promise.all(found.map((step) => again(step, { namespace, wanted })));
  const catalogSources = [...new Set(steps.map(({ resource }) => resource.sourceName))];
  const status = { phase: "Installing" as const, plan: inOrder(steps), catalogSources };
  return cluster.changeStatus(InstallPlan, { before: plan, after: { ...plan, status } });
}

interface Place {
  readonly namespace: string;
  readonly wanted: Wanted;
}

/** What the version before replaced when it was installed; empty for nothing. */
async function replacesOf(plan: InstallPlan | undefined, { namespace, wanted }: Place): Promise<string> {
  const { cluster, rollback } = wanted;
  const noted = plan?.metadata.annotations?.[replacesAnnotation];
  if (noted !== undefined) return noted;
  const step = plan?.status?.plan?.find(
    ({ resource }) => resource.kind === "ClusterServiceVersion" && resource.name === rollback.to,
  );
  if (step === undefined) return "";
  const { spec } = (await manifestOf(step, { cluster, namespace })) as {
    readonly spec?: { readonly replaces?: string };
  };
  return spec?.replaces ?? "";
}

async function create(
  subscription: Subscription,
  plans: readonly InstallPlan[],
  { cluster, rollback, replaces }: Wanted & { readonly replaces: string },
): Promise<InstallPlan> {
  const { namespace = "" } = subscription.metadata;
  const metadata = {
    name: rollback.plan,
    namespace,
    annotations: { [replacesAnnotation]: replaces },
    ownerReferences: [nonBlockingOwner(subscription)],
  };
  const spec = {
    clusterServiceVersionNames: [rollback.to],
    approval: subscription.spec.installPlanApproval ?? ("Automatic" as const),
    approved: true,
    generation: Math.max(0, ...plans.map((each) => each.spec.generation ?? 0)) + 1,
  };
  return cluster.create(InstallPlan, { metadata, spec });
}

async function refer(
  { metadata: { namespace = "", name } }: Subscription,
  plan: InstallPlan,
  { cluster, rollback }: Wanted,
): Promise<void> {
  const before = await cluster.get(Subscription, { namespace, name });
  if (before === undefined) return;
  const status = {
    lastUpdated: "",
    ...before.status,
    ...planReference(plan),
    currentCSV: rollback.to,
    state: "UpgradePending" as const,
    installPlanGeneration: plan.spec.generation ?? 0,
  };
  await cluster.changeStatus(Subscription, { before, after: { ...before, status } });
}

/** The step, not yet done. The ClusterServiceVersion replaces the one that is left, as in an upgrade. */
async function again(step: Step, { namespace, wanted }: Place): Promise<Step> {
  if (step.resource.kind !== "ClusterServiceVersion") return { ...step, status: "Unknown" };
  const manifest = await manifestOf(step, { cluster: wanted.cluster, namespace });
  const spec = { ...(manifest["spec"] as object), replaces: wanted.rollback.from };
  const { sourceName, sourceNamespace } = step.resource;
  return toStep({ ...manifest, spec }, step.resolving, { name: sourceName, namespace: sourceNamespace });
}

/** CRDs first: the operator must not start with those of the version that is left. */
function inOrder(steps: readonly Step[]): readonly Step[] {
  const rank = ({ resource: { kind } }: Step): number =>
    kind === "CustomResourceDefinition" ? 0 : kind === "ClusterServiceVersion" ? 1 : 2;
  return steps.toSorted((a, b) => rank(a) - rank(b));
}
