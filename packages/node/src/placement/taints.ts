/** Taints and tolerations. Pure. */
import type { Node, Pod, Taint, Toleration } from "@capstan/kinds/v1";

/** Whether a toleration covers a taint. */
export function tolerates({ key = "", operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

/** The first taint of a node that a pod does not tolerate, if any; the node itself checks only NoExecute. */
export function untolerated(
  { spec: nodeSpec }: Node,
  { spec }: Pod,
  effects: readonly Taint["effect"][] = ["NoSchedule", "NoExecute"],
): Taint | undefined {
  return (nodeSpec?.taints ?? []).find(
    (taint) =>
      effects.includes(taint.effect) && !(spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  );
}

/** How many PreferNoSchedule taints of a node the pod does not tolerate. */
export function taintScore({ spec: nodeSpec }: Node, { spec }: Pod): number {
  return (nodeSpec?.taints ?? []).filter(
    (taint) =>
      taint.effect === "PreferNoSchedule" &&
      !(spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  ).length;
}
