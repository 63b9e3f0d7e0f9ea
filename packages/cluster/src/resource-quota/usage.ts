/** The quota usage of objects. Pure. */
import type { PersistentVolumeClaim, Pod, ResourceQuota, Service } from "@capstan/kinds/v1";
import { addQuantities, parseQuantity, podLimits, podRequests, toQuantity } from "@capstan/model";
import type { Quantity } from "@capstan/model";
import { isFinished } from "../pod/state.ts";
import { classOf } from "../volume/match.ts";

/** Amounts by resource name. */
export type Usage = ReadonlyMap<string, Quantity>;

/** Adds up amounts. */
export function sum(parts: Iterable<Usage>): Map<string, Quantity> {
  const total = new Map<string, Quantity>();
  for (const part of parts) {
    for (const [name, amount] of part) {
      const known = total.get(name);
      total.set(name, known === undefined ? amount : addQuantities(known, amount));
    }
  }
  return total;
}

const one = toQuantity(1);
const plain: ReadonlySet<string> = new Set(["cpu", "memory", "ephemeral-storage"]);

/** The usage of a pod; a finished pod counts only as an object. */
export function podUsage(pod: Pod): Usage {
  const usage = new Map<string, Quantity>([["count/pods", one]]);
  if (isFinished(pod)) return usage;
  usage.set("pods", one);
  for (const [name, amount] of podRequests(pod.spec ?? {})) {
    if (plain.has(name)) usage.set(name, amount);
    usage.set(`requests.${name}`, amount);
    if (name.startsWith("hugepages-")) usage.set(name, amount);
  }
  for (const [name, amount] of podLimits(pod.spec ?? {})) usage.set(`limits.${name}`, amount);
  return usage;
}

/** The usage of a service. */
export function serviceUsage({ spec }: Service): Usage {
  const usage = new Map<string, Quantity>([
    ["services", one],
    ["count/services", one],
  ]);
  const ports = spec?.ports ?? [];
  if (spec?.type === "NodePort" || spec?.type === "LoadBalancer") {
    const allocated = spec.type === "NodePort" || spec.allocateLoadBalancerNodePorts !== false;
    const count = allocated ? ports.length : ports.filter(({ nodePort }) => (nodePort ?? 0) > 0).length;
    usage.set("services.nodeports", toQuantity(count));
  }
  if (spec?.type === "LoadBalancer") usage.set("services.loadbalancers", one);
  return usage;
}

/** The usage of a claim, in total and for its class. */
export function claimUsage(claim: PersistentVolumeClaim): Usage {
  const usage = new Map<string, Quantity>([
    ["persistentvolumeclaims", one],
    ["count/persistentvolumeclaims", one],
  ]);
  const storage = claim.spec?.resources?.requests?.["storage"];
  const prefix = `${classOf(claim)}.storageclass.storage.k8s.io/`;
  if (classOf(claim) !== "") usage.set(`${prefix}persistentvolumeclaims`, one);
  if (storage === undefined) return usage;
  usage.set("requests.storage", parseQuantity(String(storage)));
  if (classOf(claim) !== "") usage.set(`${prefix}requests.storage`, parseQuantity(String(storage)));
  return usage;
}

/** The usage of an object that only counts as one. */
export function countUsage(plural: string, group: string): Usage {
  const usage = new Map<string, Quantity>([[group === "" ? `count/${plural}` : `count/${plural}.${group}`, one]]);
  if (group === "") usage.set(plural, one);
  return usage;
}

/** Whether a pod is in the scope of a quota. */
export function isInScope(pod: Pod, { spec }: ResourceQuota): boolean {
  const plainScopes = (spec?.scopes ?? []).every((scope) => hasScope(pod, scope));
  return (
    plainScopes &&
    (spec?.scopeSelector?.matchExpressions ?? []).every(({ scopeName, operator, values = [] }) => {
      if (scopeName !== "PriorityClass") return hasScope(pod, scopeName) === (operator !== "DoesNotExist");
      return hasPriority(pod, operator, values);
    })
  );
}

function hasPriority({ spec }: Pod, operator: string, values: readonly string[]): boolean {
  const name = spec?.priorityClassName ?? "";
  switch (operator) {
    case "In":
      return values.includes(name);
    case "NotIn":
      return !values.includes(name);
    case "Exists":
      return name !== "";
    default:
      return name === "";
  }
}

function hasScope(pod: Pod, scope: string): boolean {
  const isTerminating = (pod.spec?.activeDeadlineSeconds ?? -1) >= 0;
  const isBestEffort = pod.status?.qosClass === undefined ? !hasRequests(pod) : pod.status.qosClass === "BestEffort";
  switch (scope) {
    case "Terminating":
      return isTerminating;
    case "NotTerminating":
      return !isTerminating;
    case "BestEffort":
      return isBestEffort;
    case "NotBestEffort":
      return !isBestEffort;
    case "CrossNamespacePodAffinity":
      return hasCrossNamespaceAffinity(pod);
    default:
      return false;
  }
}

function hasRequests({ spec }: Pod): boolean {
  return [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(
    ({ resources }) => Object.keys({ ...resources?.requests, ...resources?.limits }).length > 0,
  );
}

function hasCrossNamespaceAffinity({ spec }: Pod): boolean {
  const { podAffinity, podAntiAffinity } = spec?.affinity ?? {};
  const terms = [podAffinity, podAntiAffinity].flatMap((affinity) => [
    ...(affinity?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
    ...(affinity?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
  ]);
  return terms.some(
    ({ namespaces, namespaceSelector }) => (namespaces?.length ?? 0) > 0 || namespaceSelector !== undefined,
  );
}
