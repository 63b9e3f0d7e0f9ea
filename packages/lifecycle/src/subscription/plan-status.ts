/** The conditions of a Subscription about the plan that it refers to. */
import type { InstallPlan, InstallPlanStatus } from "../kinds/install-plan.ts";
import type { SubscriptionCondition } from "../kinds/subscription.ts";
import { withCondition, withoutConditions } from "./conditions.ts";
import type { Draft } from "./conditions.ts";

/** The status with what the plan says; the same status if nothing changed. */
export function withPlanStatus(status: Draft, plan: InstallPlan | undefined, now: string): Draft {
  if (status.installPlanRef === undefined) return status;
  if (plan === undefined) return withoutPlan(status, now);
  const condition = conditionFor(plan.status);
  const stale = (["InstallPlanMissing", "InstallPlanPending", "InstallPlanFailed"] as const).filter(
    (type) => type !== condition?.type,
  );
  const kept = withoutConditions(status, stale, now);
  return condition === undefined ? kept : withCondition(kept, { ...condition, lastTransitionTime: now }, now);
}

/** A missing plan is resolved again if the Subscription waits for it, and reported otherwise. */
function withoutPlan(status: Draft, now: string): Draft {
  const kept = withoutConditions(status, ["InstallPlanPending", "InstallPlanFailed"], now);
  if (status.state !== "UpgradePending") {
    const missing = { type: "InstallPlanMissing", status: "True", reason: "ReferencedInstallPlanNotFound" } as const;
    return withCondition(kept, { ...missing, lastTransitionTime: now }, now);
  }
  const { installPlanRef: _reference, installplan: _plan, currentCSV: _csv, state: _state, ...rest } = kept;
  return { ...rest, state: "", lastUpdated: now };
}

function conditionFor(status: InstallPlanStatus | undefined): SubscriptionCondition | undefined {
  const phase = status?.phase ?? "";
  switch (phase) {
    case "":
      return {
        type: "InstallPlanPending",
        status: "True",
        reason: "InstallPlanNotYetReconciled",
        message: messageOf(status),
      };
    case "Planning":
    case "Installing":
    case "RequiresApproval":
      return { type: "InstallPlanPending", status: "True", reason: phase, message: messageOf(status) };
    case "Failed": {
      const installed = status?.conditions?.find(({ type }) => type === "Installed");
      const reason = installed?.status === "False" ? (installed.reason ?? "") : "InstallPlanFailed";
      return { type: "InstallPlanFailed", status: "True", reason, message: messageOf(status) };
    }
    case "Complete":
      return undefined;
    default:
      return phase satisfies never;
  }
}

function messageOf(status: InstallPlanStatus | undefined): string {
  const installed = status?.conditions?.find(({ type }) => type === "Installed")?.message ?? "";
  if (installed !== "") return installed;
  return (status?.bundleLookups ?? [])
    .flatMap(({ conditions = [] }) => conditions.filter(({ type }) => type === "BundleLookupPending"))
    .filter(({ message = "" }) => message !== "")
    .map(({ message }) => `${message}.`)
    .join(" ");
}
