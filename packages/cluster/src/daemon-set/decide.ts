/** What a DaemonSet does next: one pod on each eligible node. Pure. */
import type { DaemonSet } from "@capstan/kinds/apps/v1";
import type { Node, Pod, Toleration } from "@capstan/kinds/v1";
import { scaleIntOrPercent } from "@capstan/model";
import { isAvailable, isReady } from "../pod/state.ts";
import type { NewPod } from "../pod/template.ts";
import { REVISION_LABEL } from "../controller/revision-history.ts";
import { isWanted, tolerates } from "@capstan/node";

/** The pods to create and delete. */
export interface Plan {
  /** The names of nodes that get a pod. */
  readonly create: readonly string[];
  readonly delete: readonly Pod[];
}

/** The set, the nodes, and its pods. */
export interface Observed {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** The hash of the newest template. */
  readonly hash: string;
  readonly now: number;
}

/** The tolerations that let daemon pods run on unhealthy nodes. */
export function daemonTolerations({ hostNetwork }: NewPod["spec"]): readonly Toleration[] {
  const tolerationFor = (name: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({
    key: `node.kubernetes.io/${name}`,
    operator: "Exists",
    effect,
  });
  return [
    tolerationFor("not-ready", "NoExecute"),
    tolerationFor("unreachable", "NoExecute"),
    tolerationFor("disk-pressure", "NoSchedule"),
    tolerationFor("memory-pressure", "NoSchedule"),
    tolerationFor("pid-pressure", "NoSchedule"),
    tolerationFor("unschedulable", "NoSchedule"),
    ...(hostNetwork === true ? [tolerationFor("network-unavailable", "NoSchedule")] : []),
  ];
}

/** The node that a pod runs on or is meant for. */
export function nodeOf({ spec }: Pod): string {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const name = fields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return name?.values?.[0] ?? "";
}

/** Whether a node should run a daemon pod, and whether an existing one may continue to run. */
export function nodeShouldRunDaemonPod(
  node: Node,
  { spec }: DaemonSet,
): { readonly shouldRun: boolean; readonly shouldContinueRunning: boolean } {
  const template = spec?.template?.spec ?? { containers: [] };
  if ((template.nodeName ?? "") !== "" && template.nodeName !== node.metadata.name)
    return { shouldRun: false, shouldContinueRunning: false };
  // The check reads only the scheduling fields of the template.
  if (!isWanted(node, { spec: template } as Pod)) return { shouldRun: false, shouldContinueRunning: false };
  const tolerations = [...(template.tolerations ?? []), ...daemonTolerations(template)];
  const untolerated = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect !== "PreferNoSchedule" && !tolerations.some((one) => tolerates(one, taint)),
  );
  return {
    shouldRun: untolerated.length === 0,
    shouldContinueRunning: !untolerated.some(({ effect }) => effect === "NoExecute"),
  };
}

/** Decides which pods to create and delete. */
export function decide(observed: Observed): Plan {
  const { set, nodes, pods } = observed;
  const byNode = Map.groupBy(pods, nodeOf);
  const toCreate: string[] = [];
  const toDelete: Pod[] = [];
  for (const node of nodes) {
    const plan = decideNode(observed, node, byNode.get(node.metadata.name) ?? []);
    toCreate.push(...plan.create);
    toDelete.push(...plan.delete);
  }
  // The pod garbage collector deletes the pods of missing nodes.
  if (toCreate.length > 0 || toDelete.length > 0 || set.spec?.updateStrategy?.type === "OnDelete")
    return { create: toCreate, delete: toDelete };
  return rollingUpdate(observed, byNode);
}

function decideNode({ set, hash, now }: Observed, node: Node, pods: readonly Pod[]): Plan {
  const { shouldRun, shouldContinueRunning } = nodeShouldRunDaemonPod(node, set);
  const { name } = node.metadata;
  const present = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!shouldContinueRunning) return { create: [], delete: present };
  if (pods.length === 0) return { create: shouldRun ? [name] : [], delete: [] };
  const finished = present.filter(({ status }) => status?.phase === "Failed" || status?.phase === "Succeeded");
  const alive = present.filter((pod) => !finished.includes(pod)).sort(byAge);
  if (!allowsSurge(set)) return { create: [], delete: [...finished, ...alive.slice(1)] };
  if (alive.length === 0) return { create: shouldRun ? [name] : [], delete: finished };
  const newPods = alive.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash);
  const old = alive.filter((pod) => !newPods.includes(pod));
  const surplus = [...newPods.slice(1), ...old.slice(1)];
  const [newest, oldest] = [newPods[0], old[0]];
  const isReplaced =
    newest !== undefined &&
    oldest !== undefined &&
    (!isReady(oldest) || isAvailable(newest, set.spec?.minReadySeconds ?? 0, now));
  return { create: [], delete: [...finished, ...surplus, ...(isReplaced ? [oldest] : [])] };
}

function byAge(a: Pod, b: Pod): number {
  const [placed, other] = [(a.spec?.nodeName ?? "") !== "", (b.spec?.nodeName ?? "") !== ""];
  if (placed !== other) return placed ? -1 : 1;
  return a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;
}

function allowsSurge(set: DaemonSet): boolean {
  return set.spec?.updateStrategy?.type === "RollingUpdate" && limitOf(set, "maxSurge", 100) > 0;
}

function limitOf({ spec }: DaemonSet, name: "maxSurge" | "maxUnavailable", wanted: number): number {
  const value = spec?.updateStrategy?.rollingUpdate?.[name] ?? (name === "maxSurge" ? 0 : 1);
  return scaleIntOrPercent(value, wanted, "up");
}

/** One step of a rolling update: deletes old pods, or creates new ones beside them, within the limits. */
function rollingUpdate(observed: Observed, byNode: ReadonlyMap<string, readonly Pod[]>): Plan {
  const { set, nodes, hash, now } = observed;
  const eligible = nodes.filter((node) => nodeShouldRunDaemonPod(node, set).shouldRun);
  const surge = limitOf(set, "maxSurge", eligible.length);
  const unavailable = surge === 0 ? Math.max(1, limitOf(set, "maxUnavailable", eligible.length)) : 0;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  let inProgress = 0;
  const unavailableNow: { node: string; pod: Pod }[] = [];
  const available: { node: string; pod: Pod }[] = [];
  for (const { metadata } of eligible) {
    const pods = (byNode.get(metadata.name) ?? []).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const old = pods.find((pod) => pod.metadata.labels?.[REVISION_LABEL] !== hash);
    const newPods = pods.find((pod) => pod.metadata.labels?.[REVISION_LABEL] === hash);
    if (old === undefined) {
      if (newPods === undefined || (surge === 0 && !isAvailable(newPods, minReadySeconds, now))) inProgress++;
    } else if (newPods !== undefined) inProgress++;
    else if (isAvailable(old, minReadySeconds, now)) available.push({ node: metadata.name, pod: old });
    else {
      unavailableNow.push({ node: metadata.name, pod: old });
      if (surge === 0) inProgress++;
    }
  }
  const chosen = [
    ...unavailableNow,
    ...available.slice(0, Math.max(0, (surge === 0 ? unavailable : surge) - inProgress)),
  ];
  if (surge === 0) return { create: [], delete: chosen.map(({ pod }) => pod) };
  return { create: chosen.map(({ node }) => node), delete: [] };
}

type Status = NonNullable<DaemonSet["status"]>;

/** The status of a set with these pods. */
export function statusOf({ set, nodes, pods, hash, now }: Observed): Status {
  const byNode = Map.groupBy(pods, nodeOf);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const counts = { desired: 0, current: 0, misplaced: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const alive = (byNode.get(node.metadata.name) ?? []).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const { shouldRun } = nodeShouldRunDaemonPod(node, set);
    if (!shouldRun) {
      if (alive.length > 0) counts.misplaced++;
      continue;
    }
    counts.desired++;
    const [pod] = [...alive].sort(byAge);
    if (pod === undefined) continue;
    counts.current++;
    if (alive.some(isReady)) counts.ready++;
    if (alive.some((one) => isAvailable(one, minReadySeconds, now))) counts.available++;
    if (alive.some(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash)) counts.updated++;
  }
  return {
    ...set.status,
    observedGeneration: set.metadata.generation ?? 0,
    desiredNumberScheduled: counts.desired,
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misplaced,
    numberReady: counts.ready,
    updatedNumberScheduled: counts.updated,
    numberAvailable: counts.available,
    numberUnavailable: counts.desired - counts.available,
  };
}
