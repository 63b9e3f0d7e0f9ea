/** Changes of what containers may use while they run: whether the node has room, and whether a container has to start anew. Pure. */
import { compareQuantities, isDeepEqual, parseQuantity } from "@capstan/model";
import type { Container, ResourceRequirements } from "@capstan/kinds/v1";
import type { Room } from "./admit.ts";
import type { BoundPod } from "./containers.ts";
import { requestOf, toAmount } from "./requests.ts";
import type { ContainerRecord, Situation } from "./situation.ts";

/** What becomes of a wish to use more or less. */
export type ResizeJudgement =
  | { readonly is: "fits" }
  /** There will be room when others end. */
  | { readonly is: "deferred"; readonly message: string }
  /** There never will be. */
  | { readonly is: "infeasible"; readonly message: string };

const counted = ["cpu", "memory"];

/** Whether a node has room for a pod as it wants to be now. */
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

/** Whether a running container uses something else than it should. */
export function isResized({ container, life, actual }: ContainerRecord): boolean {
  return life.is === "running" && !isSameUse(container.spec.resources, actual);
}

/** Quantities may be written in several ways. */
function isSameUse(a: ResourceRequirements = {}, b: ResourceRequirements = {}): boolean {
  const isSame = (kind: "requests" | "limits"): boolean =>
    counted.every((name) => isSameAmount(a[kind]?.[name], b[kind]?.[name]));
  return isDeepEqual(a, b) || (isSame("requests") && isSame("limits"));
}

function isSameAmount(a: string | undefined, b: string | undefined): boolean {
  return a === undefined || b === undefined ? a === b : compareQuantities(parseQuantity(a), parseQuantity(b)) === 0;
}

/** Whether a container asked to be started anew when one of these resources changes. */
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

/** The containers whose use has to change. */
export function resizedContainers({ containers }: Situation): readonly ContainerRecord[] {
  return [...containers.values()].filter(isResized);
}
