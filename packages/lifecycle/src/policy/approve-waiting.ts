/** Approves a plan that was made before its Subscription had a policy. */
import { InstallPlan } from "../kinds/install-plan.ts";
import { Subscription } from "../kinds/subscription.ts";
import type { Sync } from "../manager/reader.ts";
import type { ManagerSetting } from "../manager/setting.ts";
import { nowOf } from "../manager/time.ts";

interface Approving {
  readonly approved: readonly string[];
  readonly setting: ManagerSetting;
}

/** Approves the plan that a Subscription waits for, if the policy approves its version and no other Subscription waits for it. */
export async function approveWaiting(
  { object, find }: Sync<Subscription>,
  { approved, setting }: Approving,
): Promise<undefined> {
  const { namespace = "" } = object.metadata;
  const { installPlanRef, currentCSV = "" } = object.status ?? {};
  if (installPlanRef?.name === undefined || !approved.includes(currentCSV)) return undefined;
  const plan = find(InstallPlan, { namespace }).find(({ metadata }) => metadata.name === installPlanRef.name);
  if (plan === undefined || plan.spec.approved || plan.status?.phase !== "RequiresApproval") return undefined;
  const others = find(Subscription, { namespace }).filter(
    ({ metadata, status }) =>
      metadata.name !== object.metadata.name && status?.installPlanRef?.name === installPlanRef.name,
  );
  if (others.length > 0) return undefined;
  const approval = { "capstan.dev/approved-by": "policy", "capstan.dev/approved-at": nowOf(setting.clock) };
  const annotations = { ...plan.metadata.annotations, ...approval };
  const after = { ...plan, metadata: { ...plan.metadata, annotations }, spec: { ...plan.spec, approved: true } };
  await setting.cluster.change(InstallPlan, { before: plan, after });
  return undefined;
}
