/** The allocated and actual resources of a whole pod: the sums over its containers, or its pod-level resources. Pure. */
import { addQuantities, formatQuantity, parseQuantity } from "@capstan/model";
import type { PodStatus, ResourceRequirements } from "@capstan/kinds/v1";
import type { ContainerRecord, Situation } from "./situation.ts";

type Amounts = { readonly [resource: string]: string };

const counted = ["cpu", "memory"];

/** The fields of a pod's status with these resources. */
export function podResources(situation: Situation): Pick<PodStatus, "resources" | "allocatedResources"> {
  const members = [...situation.containers.values()].filter(isMember).map(({ allocated }) => allocated ?? {});
  const own = situation.pod.spec.resources;
  const requests = own?.requests ?? sumOf(members, "requests", "some");
  const limits = own?.limits ?? sumOf(members, "limits", "every");
  const resources = { ...(limits === undefined ? {} : { limits }), ...(requests === undefined ? {} : { requests }) };
  return { resources, ...(requests === undefined ? {} : { allocatedResources: requests }) };
}

function isMember({ container: { kind } }: ContainerRecord): boolean {
  return kind === "regular" || kind === "sidecar";
}

/** A pod has a limit only if all of its containers have one; its request is the sum of all requests. */
function sumOf(
  members: readonly ResourceRequirements[],
  kind: "requests" | "limits",
  needs: "some" | "every",
): Amounts | undefined {
  const entries = counted.flatMap((name): [string, string][] => {
    const amounts = members.flatMap((one) => one[kind]?.[name] ?? []);
    const isEnough = needs === "some" ? amounts.length > 0 : amounts.length === members.length && amounts.length > 0;
    return isEnough ? [[name, formatQuantity(amounts.map(parseQuantity).reduce(addQuantities))]] : [];
  });
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}
