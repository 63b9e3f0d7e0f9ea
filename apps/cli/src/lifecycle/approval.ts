/** Approves an InstallPlan, and records which user did. */
import { InstallPlan } from "@capstan/lifecycle";
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
