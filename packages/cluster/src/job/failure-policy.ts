/** How a Job treats a failed pod, by its podFailurePolicy. Pure. */
import type { Job } from "@capstan/kinds/batch/v1";
import type { Pod } from "@capstan/kinds/v1";

type Rule = NonNullable<NonNullable<NonNullable<Job["spec"]>["podFailurePolicy"]>["rules"]>[number];

/** What the policy says about a failed pod. */
export type PolicyResult =
  | { readonly action: "Count" | "Ignore" | "FailIndex" }
  | { readonly action: "FailJob"; readonly message: string };

/** The action of the first rule that matches; without a match the failure counts. */
export function matchPodFailurePolicy(pod: Pod, { spec }: Job): PolicyResult {
  for (const [index, rule] of (spec?.podFailurePolicy?.rules ?? []).entries()) {
    const match = matchRule(rule, pod);
    if (match === undefined) continue;
    if (rule.action !== "FailJob") return { action: rule.action as "Count" | "Ignore" | "FailIndex" };
    return { action: "FailJob", message: `${match} matching FailJob rule at index ${index}` };
  }
  return { action: "Count" };
}

/** Why a rule matches a pod. */
function matchRule({ onExitCodes, onPodConditions }: Rule, pod: Pod): string | undefined {
  if (onExitCodes !== undefined) return matchExitCode(onExitCodes, pod);
  const found = (onPodConditions ?? []).find(({ type, status = "True" }) =>
    pod.status?.conditions?.some((condition) => condition.type === type && condition.status === status),
  );
  const { namespace, name } = pod.metadata;
  return found && `Pod ${namespace}/${name} has condition ${found.type}`;
}

function matchExitCode(rule: NonNullable<Rule["onExitCodes"]>, pod: Pod): string | undefined {
  const { namespace, name } = pod.metadata;
  const statuses = [...(pod.status?.initContainerStatuses ?? []), ...(pod.status?.containerStatuses ?? [])];
  for (const { name: container, state } of statuses) {
    const code = state?.terminated?.exitCode;
    if (code === undefined || code === 0) continue;
    if (rule.containerName !== undefined && rule.containerName !== container) continue;
    const isListed = rule.values.includes(code);
    if (isListed === (rule.operator === "In")) {
      return `Container ${container} for pod ${namespace}/${name} failed with exit code ${code}`;
    }
  }
  return undefined;
}
