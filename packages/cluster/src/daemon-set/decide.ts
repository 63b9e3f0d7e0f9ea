/** What a DaemonSet does next: one pod on each node that should have one. Pure. */
import type { DaemonSet } from "@capstan/kinds/apps/v1";
import type { Node, Pod, Toleration } from "@capstan/kinds/v1";
import { scaleIntOrPercent } from "@capstan/model";
import { isAvailable, isReady } from "../pod/state.ts";
import type { NewPod } from "../pod/template.ts";
import { REVISION_LABEL } from "../revision/history.ts";
import { isWanted, tolerates } from "@capstan/node";

/** What is to be done. */
export interface Plan {
  /** Nodes that get a pod. */
  readonly start: readonly string[];
  readonly end: readonly Pod[];
}

/** The set, the nodes, and its pods. */
export interface Seen {
  readonly set: DaemonSet;
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  /** The hash of the newest template. */
  readonly hash: string;
  readonly now: number;
}

/** Daemons run on nodes that are not well. */
export function daemonTolerations({ hostNetwork }: NewPod["spec"]): readonly Toleration[] {
  const sturdy = (name: string, effect: "NoExecute" | "NoSchedule"): Toleration => ({
    key: `node.kubernetes.io/${name}`,
    operator: "Exists",
    effect,
  });
  return [
    sturdy("not-ready", "NoExecute"),
    sturdy("unreachable", "NoExecute"),
    sturdy("disk-pressure", "NoSchedule"),
    sturdy("memory-pressure", "NoSchedule"),
    sturdy("pid-pressure", "NoSchedule"),
    sturdy("unschedulable", "NoSchedule"),
    ...(hostNetwork === true ? [sturdy("network-unavailable", "NoSchedule")] : []),
  ];
}

/** Which node a pod of the set runs on or is meant for. */
export function nodeOf({ spec }: Pod): string {
  if (spec?.nodeName !== undefined && spec.nodeName !== "") return spec.nodeName;
  const required = spec?.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  const fields = (required?.nodeSelectorTerms ?? []).flatMap(({ matchFields = [] }) => matchFields);
  const name = fields.find(({ key, operator }) => key === "metadata.name" && operator === "In");
  return name?.values?.[0] ?? "";
}

/** Whether a node should get a pod of the set, and whether one that is there may stay. */
export function fitnessOf(node: Node, { spec }: DaemonSet): { readonly run: boolean; readonly stay: boolean } {
  const template = spec?.template?.spec ?? { containers: [] };
  if ((template.nodeName ?? "") !== "" && template.nodeName !== node.metadata.name) return { run: false, stay: false };
  // Only the wishes of the template are looked at, so the rest of the pod does not matter.
  if (!isWanted(node, { spec: template } as Pod)) return { run: false, stay: false };
  const tolerations = [...(template.tolerations ?? []), ...daemonTolerations(template)];
  const hard = (node.spec?.taints ?? []).filter(
    (taint) => taint.effect !== "PreferNoSchedule" && !tolerations.some((one) => tolerates(one, taint)),
  );
  return { run: hard.length === 0, stay: !hard.some(({ effect }) => effect === "NoExecute") };
}

/** Decides. */
export function decide(seen: Seen): Plan {
  const { set, nodes, pods } = seen;
  const byNode = Map.groupBy(pods, nodeOf);
  const start: string[] = [];
  const end: Pod[] = [];
  for (const node of nodes) {
    const plan = decideNode(seen, node, byNode.get(node.metadata.name) ?? []);
    start.push(...plan.start);
    end.push(...plan.end);
  }
  // Pods of nodes that are gone are the business of whoever collects garbage, but not of ours.
  if (start.length > 0 || end.length > 0 || set.spec?.updateStrategy?.type === "OnDelete") return { start, end };
  return roll(seen, byNode);
}

function decideNode({ set, hash, now }: Seen, node: Node, pods: readonly Pod[]): Plan {
  const { run, stay } = fitnessOf(node, set);
  const { name } = node.metadata;
  const present = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  if (!stay) return { start: [], end: present };
  if (pods.length === 0) return { start: run ? [name] : [], end: [] };
  const ended = present.filter(({ status }) => status?.phase === "Failed" || status?.phase === "Succeeded");
  const alive = present.filter((pod) => !ended.includes(pod)).sort(byAge);
  if (!allowsSurge(set)) return { start: [], end: [...ended, ...alive.slice(1)] };
  if (alive.length === 0) return { start: run ? [name] : [], end: ended };
  const fresh = alive.filter(({ metadata }) => metadata.labels?.[REVISION_LABEL] === hash);
  const old = alive.filter((pod) => !fresh.includes(pod));
  const surplus = [...fresh.slice(1), ...old.slice(1)];
  const [newest, oldest] = [fresh[0], old[0]];
  const isReplaced =
    newest !== undefined &&
    oldest !== undefined &&
    (!isReady(oldest) || isAvailable(newest, set.spec?.minReadySeconds ?? 0, now));
  return { start: [], end: [...ended, ...surplus, ...(isReplaced ? [oldest] : [])] };
}

function byAge(a: Pod, b: Pod): number {
  const [placed, other] = [(a.spec?.nodeName ?? "") !== "", (b.spec?.nodeName ?? "") !== ""];
  if (placed !== other) return placed ? -1 : 1;
  return a.metadata.creationTimestamp < b.metadata.creationTimestamp ? -1 : 1;
}

function allowsSurge(set: DaemonSet): boolean {
  return set.spec?.updateStrategy?.type === "RollingUpdate" && limit(set, "maxSurge", 100) > 0;
}

function limit({ spec }: DaemonSet, name: "maxSurge" | "maxUnavailable", wanted: number): number {
  const value = spec?.updateStrategy?.rollingUpdate?.[name] ?? (name === "maxSurge" ? 0 : 1);
  return scaleIntOrPercent(value, wanted, "up");
}

/** One step of a rolling update: as many old pods go, or new ones come beside them, as the limits allow. */
function roll(seen: Seen, byNode: ReadonlyMap<string, readonly Pod[]>): Plan {
  const { set, nodes, hash, now } = seen;
  const eligible = nodes.filter((node) => fitnessOf(node, set).run);
  const surge = limit(set, "maxSurge", eligible.length);
  const unavailable = surge === 0 ? Math.max(1, limit(set, "maxUnavailable", eligible.length)) : 0;
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  let busy = 0;
  const atOnce: { node: string; pod: Pod }[] = [];
  const inTurn: { node: string; pod: Pod }[] = [];
  for (const { metadata } of eligible) {
    const pods = (byNode.get(metadata.name) ?? []).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const old = pods.find((pod) => pod.metadata.labels?.[REVISION_LABEL] !== hash);
    const fresh = pods.find((pod) => pod.metadata.labels?.[REVISION_LABEL] === hash);
    if (old === undefined) {
      if (fresh === undefined || (surge === 0 && !isAvailable(fresh, minReadySeconds, now))) busy++;
    } else if (fresh !== undefined) busy++;
    else if (isAvailable(old, minReadySeconds, now)) inTurn.push({ node: metadata.name, pod: old });
    else {
      atOnce.push({ node: metadata.name, pod: old });
      if (surge === 0) busy++;
    }
  }
  const chosen = [...atOnce, ...inTurn.slice(0, Math.max(0, (surge === 0 ? unavailable : surge) - busy))];
  if (surge === 0) return { start: [], end: chosen.map(({ pod }) => pod) };
  return { start: chosen.map(({ node }) => node), end: [] };
}

type Status = NonNullable<DaemonSet["status"]>;

/** The status of a set with these pods. */
export function statusOf({ set, nodes, pods, hash, now }: Seen): Status {
  const byNode = Map.groupBy(pods, nodeOf);
  const minReadySeconds = set.spec?.minReadySeconds ?? 0;
  const counts = { desired: 0, current: 0, misplaced: 0, ready: 0, available: 0, updated: 0 };
  for (const node of nodes) {
    const alive = (byNode.get(node.metadata.name) ?? []).filter((pod) => pod.metadata.deletionTimestamp === undefined);
    const { run } = fitnessOf(node, set);
    if (!run) {
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
