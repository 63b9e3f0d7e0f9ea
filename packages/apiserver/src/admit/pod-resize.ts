/** PodResizeValidator: rejects a resize beyond the allocatable resources of the node. */
import type { Node, Pod } from "@capstan/kinds/v1";
import { compareQuantities, parseQuantity, quantityToInteger, StatusError } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { podRequests } from "@capstan/model";
import { isForAny, objectOf, oldObjectOf, refusal } from "./target.ts";

export const podResizeValidator: AdmissionStep = {
  name: "PodResizeValidator",
  handles: (operation) => operation === "UPDATE",
  validate(request, { lookup }: AdmissionContext) {
    if (!isForAny(request, "pods") || request.subresource !== "resize") return;
    const pod = objectOf<Pod>(request) as Pod;
    const nodeName = pod.spec?.nodeName ?? "";
    if (nodeName === "" || oldObjectOf<Pod>(request).metadata.generation === pod.metadata.generation) return;
    const node = lookup.get("nodes", nodeName) as Node | undefined;
    if (node === undefined) throw refusal(request, `node "${nodeName}" not found`);
    checkNode(request, pod, node);
  },
};

function checkNode(request: AdmissionRequest, pod: Pod, node: Node): void {
  const system = node.metadata.labels?.["kubernetes.io/os"] ?? "linux";
  if (system !== "linux") {
    const why = `pod resize is only supported on linux nodes, node "${node.metadata.name}" is "${system}"`;
    throw withCause(refusal(request, why), "UnsupportedPlatform");
  }
  const missing = shortages(pod, node);
  if (missing.length === 0) return;
  const why = `node didn't have enough allocatable resources: ${missing.join("; ")}`;
  throw withCause(refusal(request, why), "NodeCapacity");
}

/** The error shows CPU in milli units and memory in bytes. */
const counted = [
  ["cpu", -3],
  ["memory", 0],
] as const;

function shortages(pod: Pod, { status }: Node): string[] {
  const requests = podRequests(pod.spec ?? {});
  return counted.flatMap(([name, scale]) => {
    const wanted = requests.get(name);
    const there = parseQuantity(status?.allocatable?.[name] ?? "0");
    if (wanted === undefined || compareQuantities(wanted, there) <= 0) return [];
    return `${name}, requested: ${quantityToInteger(wanted, scale)}, allocatable: ${quantityToInteger(there, scale)}`;
  });
}

function withCause({ status }: StatusError, reason: string): StatusError {
  const causes = [...(status.details?.causes ?? []), { reason }];
  return new StatusError({ ...status, details: { ...status.details, causes } } as typeof status);
}
