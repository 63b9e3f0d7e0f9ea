/** Which taints a pod puts up with. Pure. */
import type { Node, Pod, Taint, Toleration } from "@capstan/kinds/v1";

/** Whether a toleration covers a taint. */
export function tolerates({ key = "", operator = "Equal", value = "", effect }: Toleration, taint: Taint): boolean {
  if (effect !== undefined && effect !== taint.effect) return false;
  if (key !== "" && key !== taint.key) return false;
  return operator === "Exists" || (operator === "Equal" && value === (taint.value ?? ""));
}

/** The first taint of a node that keeps a pod away, if there is one; the node itself asks only who may not stay. */
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

/** How many taints of a node would rather not have the pod. */
export function taintScore({ spec: nodeSpec }: Node, { spec }: Pod): number {
  return (nodeSpec?.taints ?? []).filter(
    (taint) =>
      taint.effect === "PreferNoSchedule" &&
      !(spec?.tolerations ?? []).some((toleration) => tolerates(toleration, taint)),
  ).length;
}
