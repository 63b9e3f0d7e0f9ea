/** Quota usage of a pod: its resources until it terminates. */
import type { Affinity, Container, Pod, PodAffinityTerm } from "@capstan/kinds/v1";
import { podLimits, podRequests, toQuantity, type KubeObject, type Quantity } from "@capstan/model";
import type { AdmissionRequest } from "../admission.ts";
import { objectOf, oldObjectOf } from "../target.ts";
import { plus, type Amounts } from "./amounts.ts";
import type { Evaluator } from "./evaluator.ts";
import { scopeMatches, type ScopeSelector } from "./scopes.ts";

const computed = ["cpu", "memory", "ephemeral-storage"];
const names: ReadonlySet<string> = new Set([
  "count/pods",
  "pods",
  ...computed.flatMap((name) => [name, `requests.${name}`, `limits.${name}`]),
]);
const mustBeStated = ["cpu", "memory"].flatMap((name) => [name, `requests.${name}`, `limits.${name}`]);

export const podEvaluator: Evaluator = {
  handles,
  matching: (asked) => asked.filter((name) => names.has(name) || isPrefixed(name)),
  inScope: (object, scope) => inScope(object as Pod, scope),
  problem: (object, asked) => missingProblem(object as Pod, asked),
  usage: (object, now) => usage(object as Pod, now),
};

function handles(request: AdmissionRequest): boolean {
  const { operation, subresource } = request;
  if (subresource === "resize") return operation === "UPDATE";
  if (subresource !== "") return false;
  if (operation === "CREATE") return true;
  return isTerminating(objectOf<Pod>(request) as Pod) !== isTerminating(oldObjectOf<Pod>(request));
}

/** Huge pages and extended resources, which have quotas for requests only. */
function isPrefixed(name: string): boolean {
  if (name.startsWith("hugepages-") || name.startsWith("requests.hugepages-")) return true;
  return name.startsWith("requests.") && isExtended(name.slice("requests.".length));
}

function isExtended(name: string): boolean {
  return name.includes("/") && !name.startsWith("kubernetes.io/") && !name.includes(".kubernetes.io/");
}

function inScope(pod: Pod, scope: ScopeSelector): boolean {
  switch (scope.scopeName) {
    case "Terminating":
      return isTerminating(pod);
    case "NotTerminating":
      return !isTerminating(pod);
    case "BestEffort":
      return isBestEffort(pod);
    case "NotBestEffort":
      return !isBestEffort(pod);
    case "PriorityClass": {
      const name = pod.spec?.priorityClassName ?? "";
      return scopeMatches(scope, name === "" ? [] : [name]);
    }
    case "CrossNamespacePodAffinity":
      return crossesNamespaces(pod.spec?.affinity);
    default:
      return false;
  }
}

function isTerminating({ spec }: Pod): boolean {
  return (spec?.activeDeadlineSeconds ?? -1) >= 0;
}

/** Whether no container has requests or limits of cpu or memory. */
function isBestEffort({ spec }: Pod): boolean {
  const all = [spec?.resources, ...containersOf(spec).map(({ resources }) => resources)];
  return !all.some((resources) =>
    [resources?.requests, resources?.limits].some((list) =>
      ["cpu", "memory"].some((name) => list?.[name] !== undefined && list[name] !== "0"),
    ),
  );
}

function containersOf(spec: Pod["spec"]): readonly Container[] {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
}

function crossesNamespaces(affinity: Affinity | undefined): boolean {
  return [affinity?.podAffinity, affinity?.podAntiAffinity].some((one) =>
    [
      ...(one?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      ...(one?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ].some(crosses),
  );
}

function crosses({ namespaces, namespaceSelector }: PodAffinityTerm): boolean {
  return (namespaces ?? []).length > 0 || namespaceSelector !== undefined;
}

/** If a quota limits cpu or memory, every container must set it, unless the pod does at pod level. */
function missingProblem({ spec }: Pod, asked: readonly string[]): string | undefined {
  if (spec?.resources !== undefined) return undefined;
  const required = mustBeStated.filter((name) => asked.includes(name)).sort();
  const problems = required.flatMap((name) => {
    const without = containersOf(spec).filter((container) => !states(container, name));
    return without.length === 0 ? [] : `${name} for: ${[...new Set(without.map((one) => one.name))].sort().join(",")}`;
  });
  return problems.length === 0 ? undefined : `must specify ${problems.join("; ")}`;
}

function states({ resources }: Container, name: string): boolean {
  const list = name.startsWith("limits.") ? resources?.limits : resources?.requests;
  return list?.[name.replace(/^(limits|requests)\./, "")] !== undefined;
}

function usage(pod: Pod, now: number): Amounts {
  const counted: Amounts = new Map([["count/pods", toQuantity(1)]]);
  return isOver(pod, now) ? counted : plus(counted, computeUsage(pod));
}

/** A pod that has terminated, or is past its deletion deadline, does not count. */
function isOver({ metadata, status }: KubeObject & Pod, now: number): boolean {
  if (status?.phase === "Failed" || status?.phase === "Succeeded") return true;
  const { deletionTimestamp, deletionGracePeriodSeconds } = metadata;
  if (deletionTimestamp === undefined || deletionGracePeriodSeconds === undefined) return false;
  return now > Date.parse(deletionTimestamp) + deletionGracePeriodSeconds * 1000;
}

function computeUsage(pod: Pod): Amounts {
  const requests = podRequests(pod.spec ?? {});
  const limits = podLimits(pod.spec ?? {});
  const amounts = new Map<string, Quantity>([["pods", toQuantity(1)]]);
  for (const [name, amount] of requests) {
    if (isExtended(name)) amounts.set(`requests.${name}`, amount);
    else amounts.set(name, amount).set(`requests.${name}`, amount);
  }
  for (const name of computed) {
    const limit = limits.get(name);
    if (limit !== undefined) amounts.set(`limits.${name}`, limit);
  }
  return amounts;
}
