/** Eviction: deletes a pod if its disruption budgets allow it. */
import type { Eviction, PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import type { Pod } from "@capstan/kinds/v1";
import {
  apiErrors,
  cloneJson,
  fieldErrors,
  formatTime,
  fromLabelSelectorObject,
  isDeepEqual,
  matchesLabels,
  parseTime,
  setCondition,
  StatusError,
  toFailure,
  toMilliseconds,
  type Condition,
  type KubeObject,
} from "@capstan/model";
import { checkDryRun } from "../meta/dry-run.ts";
import { checkPropagation } from "../meta/propagation.ts";
import type { RuleContext } from "../context.ts";
import type { Action, ActionRules } from "../rules.ts";
import { setPodCondition } from "./pod-condition.ts";
import { graceOf } from "./pod-grace.ts";

const kind = { group: "policy", version: "v1", kind: "Eviction" } as const;
const budgets = "poddisruptionbudgets.policy";

/** The subresource `eviction` of a pod. */
export const evictionRules: ActionRules<Pod> = {
  type: "action",
  kind,
  check({ body, name, context }) {
    if (body.metadata.name !== name) throw apiErrors.badRequest("name in URL does not match name in Eviction object");
    checkReadErrors(body as Eviction, name);
    checkTrial(body as Eviction, context);
  },
  run(action) {
    const eviction = action.body as Eviction;
    if (!isFree(action.object)) useBudget(action);
    checkPreconditions(eviction, action.object);
    checkOptions(eviction);
    if (!isDryRun(action, eviction)) evict(action, eviction);
    return success;
  },
};

const success: KubeObject = {
  kind: "Status",
  apiVersion: "v1",
  metadata: {},
  status: "Success",
  code: 201,
} as KubeObject;

function isDryRun({ context }: Action<Pod>, { deleteOptions }: Eviction): boolean {
  return context.dryRun || (deleteOptions?.dryRun ?? []).length > 0;
}

/** Rejects the option that deletes unreadable objects. */
function checkReadErrors({ deleteOptions }: Eviction, name: string): void {
  const option = "ignoreStoreReadErrorWithClusterBreakingPotential";
  if (deleteOptions?.[option] !== true) return;
  const why = "can not be set for pod eviction, try after removing the option";
  throw apiErrors.invalid(kind, name, [fieldErrors.invalid(`deleteOptions.${option}`, true, why)]);
}

/** The query and the body must agree about dryRun. */
function checkTrial({ deleteOptions }: Eviction, context: RuleContext): void {
  const [asked, said] = [context.dryRun ? ["All"] : [], deleteOptions?.dryRun ?? []];
  if (asked.length === 0 || said.length === 0 || isDeepEqual(asked, said)) return;
  const message = `Non-matching dry-run options in request and content: [${asked.join(" ")}] and [${said.join(" ")}]`;
  throw new StatusError(toFailure({ code: 500, reason: "", message }));
}

function checkOptions({ deleteOptions = {} }: Eviction): void {
  const errors = [...checkPropagation(deleteOptions), ...checkDryRun(deleteOptions.dryRun ?? [])];
  if (errors.length > 0) throw apiErrors.invalid({ group: "meta.k8s.io", kind: "DeleteOptions" }, "", errors);
}

function checkPreconditions({ deleteOptions }: Eviction, { metadata }: Pod): void {
  const { uid, resourceVersion } = deleteOptions?.preconditions ?? {};
  const pod = { group: "", resource: "Pod" };
  const name = metadata.name ?? "";
  if (uid !== undefined && uid !== "" && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw apiErrors.conflict(pod, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== "" && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw apiErrors.conflict(pod, name, why);
  }
}

/** Pods that are pending, finished or being deleted do not need a budget. */
function isFree({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined || ["Succeeded", "Failed", "Pending"].includes(status?.phase ?? "");
}

function useBudget(action: Action<Pod>): void {
  const { object: pod, context } = action;
  const found = context.lookup
    .list(budgets, pod.metadata.namespace)
    .map((object) => object as PodDisruptionBudget)
    .filter(({ spec }) => matchesLabels(fromLabelSelectorObject(spec?.selector), pod.metadata.labels));
  if (found.length > 1) {
    const message = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.";
    throw new StatusError(toFailure({ code: 500, reason: "", message }));
  }
  const [budget] = found;
  if (budget === undefined || isHealthyWithout(pod, budget)) return;
  refuse(budget);
  takeOne(budget, action);
}

/** The eviction of an unready pod does not disrupt the budget if enough other pods are healthy. */
function isHealthyWithout({ status: podStatus }: Pod, { spec, status }: PodDisruptionBudget): boolean {
  const isReady = (podStatus?.conditions ?? []).some((one) => one.type === "Ready" && one.status === "True");
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

const maxDisruptedPods = 2000;

function refuse({ metadata, status }: PodDisruptionBudget): void {
  const name = metadata.name ?? "";
  if ((status?.observedGeneration ?? 0) < (metadata.generation ?? 0)) {
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10);
  }
  const forbidden = (why: string): StatusError =>
    apiErrors.forbidden({ group: "policy", resource: "poddisruptionbudget" }, name, why);
  const allowed = status?.disruptionsAllowed ?? 0;
  if (allowed < 0) throw forbidden("pdb disruptions allowed is negative");
  if (Object.keys(status?.disruptedPods ?? {}).length > maxDisruptedPods) {
    throw forbidden("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  }
  if (allowed === 0) throw tooManyRequests(whyNot(name, status), 0);
}

function whyNot(name: string, status: PodDisruptionBudget["status"]): string {
  const condition = (status?.conditions ?? []).find(({ type }) => type === "DisruptionAllowed");
  const isTold = condition?.status === "False" && condition.message !== "";
  if (isTold && condition.reason === "SyncFailed") {
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${condition.message}`;
  }
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  if (currentHealthy <= desiredHealthy) {
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  }
  const intro = `The disruption budget ${name} does not allow evicting pods currently`;
  return isTold ? `${intro} (${condition.reason}): ${condition.message}` : intro;
}

function tooManyRequests(cause: string, seconds: number): StatusError {
  return new StatusError(
    toFailure({
      code: 429,
      reason: "TooManyRequests",
      message: "Cannot evict pod as it would violate the pod's disruption budget.",
      details: {
        causes: [{ reason: "DisruptionBudget", message: cause }],
        ...(seconds === 0 ? {} : { retryAfterSeconds: seconds }),
      },
    }),
  );
}

function takeOne(budget: PodDisruptionBudget, action: Action<Pod>): void {
  const { name, context, writer } = action;
  if (isDryRun(action, action.body as Eviction)) return;
  const draft = cloneJson(budget);
  const { status } = draft;
  if (status === undefined) return;
  status.disruptionsAllowed = (status.disruptionsAllowed ?? 0) - 1;
  status.disruptedPods = { ...status.disruptedPods, [name]: context.now };
  if (status.disruptionsAllowed === 0) {
    const change = { type: "DisruptionAllowed", status: "False", reason: "InsufficientPods", message: "" } as const;
    const observed = { ...change, observedGeneration: status.observedGeneration ?? 0 };
    status.conditions = [...setCondition((status.conditions ?? []) as Condition[], observed, context.now)];
  }
  writer.update(budgets, writer.own(budgets, draft, { time: context.now, subresource: "status" }));
}

function evict({ object: pod, context, writer }: Action<Pod>, { deleteOptions }: Eviction): void {
  const draft = cloneJson(pod);
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "EvictionByEvictionAPI",
    message: "Eviction API: evicting",
  };
  setPodCondition((draft.status ??= {}), condition, context.now);
  const grace = graceOf(pod, deleteOptions?.gracePeriodSeconds);
  const { namespace, finalizers = [] } = draft.metadata;
  if (draft.metadata.deletionTimestamp === undefined) {
    draft.metadata.deletionTimestamp = formatTime(toMilliseconds(parseTime(context.now)) + grace * 1000);
    draft.metadata.deletionGracePeriodSeconds = grace;
    if ((draft.metadata.generation ?? 0) > 0) draft.metadata.generation = (draft.metadata.generation ?? 0) + 1;
  }
  writer.update("pods", draft);
  if (grace === 0 && finalizers.length === 0) writer.delete("pods", draft.metadata.name, namespace);
}
