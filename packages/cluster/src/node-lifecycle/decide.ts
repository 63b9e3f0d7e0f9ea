/** Which taints a node needs for its conditions. Pure. */
import type { Node } from "@capstan/kinds/v1";
import { findCondition, isDeepEqual } from "@capstan/model";

export type Taint = NonNullable<NonNullable<Node["spec"]>["taints"]>[number];

const NOT_READY = "node.kubernetes.io/not-ready";
const UNREACHABLE = "node.kubernetes.io/unreachable";
const UNSCHEDULABLE = "node.kubernetes.io/unschedulable";

/** Conditions other than Ready, and their taints. */
const pressures: readonly (readonly [string, string])[] = [
  ["MemoryPressure", "node.kubernetes.io/memory-pressure"],
  ["DiskPressure", "node.kubernetes.io/disk-pressure"],
  ["PIDPressure", "node.kubernetes.io/pid-pressure"],
  ["NetworkUnavailable", "node.kubernetes.io/network-unavailable"],
];

const managed: ReadonlySet<string> = new Set([
  NOT_READY,
  UNREACHABLE,
  UNSCHEDULABLE,
  ...pressures.map(([, key]) => key),
]);

/** The taints for a node; the same list when nothing changes. `now` becomes the `timeAdded` of new NoExecute taints. */
export function taintsFor(node: Node, now: string): readonly Taint[] {
  const current = node.spec?.taints ?? [];
  const wanted = wantedTaints(node);
  const ours = wanted.map(({ key, effect }): Taint => {
    const known = current.find((one) => one.key === key && one.effect === effect);
    if (known !== undefined) return known;
    return effect === "NoExecute" ? { key, effect, timeAdded: now } : { key, effect };
  });
  const kept = current.filter((one) => !managed.has(one.key) || ours.includes(one));
  const taints = [...kept, ...ours.filter((one) => !kept.includes(one))];
  return isDeepEqual(taints, current) ? current : taints;
}

function wantedTaints({ spec, status }: Node): readonly Pick<Taint, "key" | "effect">[] {
  const taints: Pick<Taint, "key" | "effect">[] = [];
  const ready = findCondition(status?.conditions, "Ready")?.status;
  if (ready !== "True") {
    const key = ready === "False" ? NOT_READY : UNREACHABLE;
    // A node that never reported is not ready; one that stopped reporting is unreachable.
    const shown = ready === undefined ? NOT_READY : key;
    taints.push({ key: shown, effect: "NoSchedule" });
    if (ready !== undefined) taints.push({ key: shown, effect: "NoExecute" });
  }
  for (const [type, key] of pressures) {
    if (findCondition(status?.conditions, type)?.status === "True") taints.push({ key, effect: "NoSchedule" });
  }
  if (spec?.unschedulable === true) taints.push({ key: UNSCHEDULABLE, effect: "NoSchedule" });
  return taints;
}
