/** In-place resize: whether the node has capacity, and whether a container has to be restarted. Pure. */
import { compareQuantities, isDeepEqual, parseQuantity } from "@capstan/model";
import type { Container, ResourceRequirements } from "@capstan/kinds/v1";
import type { Room } from "./admit.ts";
import type { BoundPod } from "./containers.ts";
import { requestOf, toAmount } from "./requests.ts";
import type { ContainerRecord, Situation } from "./situation.ts";

/** The result of the check of a resize. */
export type ResizeJudgement =
  | { readonly is: "fits" }
  /** It will fit when other pods end. */
  | { readonly is: "deferred"; readonly message: string }
  /** It will never fit. */
  | { readonly is: "infeasible"; readonly message: string };

const counted = ["cpu", "memory"];

/** Whether a node has capacity for the new resources of a pod. */
export function judgeResize({ spec }: BoundPod, { allocatable, others }: Room): ResizeJudgement {
  for (const name of counted) {
    const capacity = toAmount(allocatable[name], name);
    const requested = requestOf(spec, name);
    if (requested > capacity)
      return {
        is: "infeasible",
        message: `Node didn't have enough capacity: ${name}, requested: ${requested}, capacity: ${capacity}`,
      };
    const used = others.reduce((sum, other) => sum + requestOf(other.spec, name), 0n);
    if (requested + used > capacity)
      return {
        is: "deferred",
        message: `Node didn't have enough resource: ${name}, requested: ${requested}, used: ${used}, capacity: ${capacity}`,
      };
  }
  return { is: "fits" };
}

/** Whether the actual resources of a running container differ from the allocated ones. */
export function isResized({ container, life, actual }: ContainerRecord): boolean {
  return life.is === "running" && !isSameUse(container.spec.resources, actual);
}

/** Equal quantities may be written differently. */
function isSameUse(a: ResourceRequirements = {}, b: ResourceRequirements = {}): boolean {
  const isSame = (kind: "requests" | "limits"): boolean =>
    counted.every((name) => isSameAmount(a[kind]?.[name], b[kind]?.[name]));
  return isDeepEqual(a, b) || (isSame("requests") && isSame("limits"));
}

function isSameAmount(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined ? a === b : compareQuantities(parseQuantity(a), parseQuantity(b)) === 0;
}

/** Whether the resize policy of a container requires a restart for one of the changed resources. */
export function needsRestart(
  { resizePolicy = [], resources = {} }: Container,
  actual: ResourceRequirements = {},
): boolean {
  return resizePolicy.some(
    ({ resourceName, restartPolicy }) =>
      restartPolicy === "RestartContainer" &&
      !(["requests", "limits"] as const).every((kind) =>
        isSameAmount(resources[kind]?.[resourceName], actual[kind]?.[resourceName]),
      ),
  );
}

/** The containers with resources to change. */
export function resizedContainers({ containers }: Situation): readonly ContainerRecord[] {
  return [...containers.values()].filter(isResized);
}
