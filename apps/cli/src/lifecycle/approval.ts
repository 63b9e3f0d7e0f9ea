/** Approves an InstallPlan or a version, and records which user did. */
import { approvedVersionAnnotation, InstallPlan, Subscription } from "@capstan/lifecycle";
import { recordAct, userOf } from "./audit.ts";
import type { Connected } from "./options.ts";

/** Approves a plan. */
export async function approvePlan(connected: Connected, plan: InstallPlan): Promise<void> {
  const annotations = {
    ...plan.metadata.annotations,
    "capstan.dev/approved-by": await userOf(connected.client),
    "capstan.dev/approved-at": new Date().toISOString(),
  };
  const after = { ...plan, metadata: { ...plan.metadata, annotations }, spec: { ...plan.spec, approved: true } };
  await connected.cluster.change(InstallPlan, { before: plan, after });
  const operator = plan.spec.clusterServiceVersionNames.join(", ");
  await recordAct(connected, { action: "approve", operator, detail: `plan ${plan.metadata.name}` });
}

/** Approves a version that the policy of a Subscription holds. */
export async function approveVersion(connected: Connected, before: Subscription, version: string): Promise<void> {
  const annotations = { ...before.metadata.annotations, [approvedVersionAnnotation]: version };
  const after = { ...before, metadata: { ...before.metadata, annotations } };
  await connected.cluster.change(Subscription, { before, after });
  await recordAct(connected, { action: "approve", operator: version, detail: `Subscription ${before.metadata.name}` });
}
