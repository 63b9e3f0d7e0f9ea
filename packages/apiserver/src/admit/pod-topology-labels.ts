/** PodTopologyLabels: copies the topology labels of the node to a pod that is bound to it. */
import type { Binding, Pod } from "@capstan/kinds/v1";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isForAny, objectOf } from "./target.ts";

const labels = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"];

export const podTopologyLabels: AdmissionStep = {
  name: "PodTopologyLabels",
  handles: (operation) => operation === "CREATE",
  mutate(request, context) {
    const node = isForAny(request, "pods") ? nodeOf(request) : undefined;
    if (node !== undefined && node !== "") copyLabels(request, node, context);
  },
};

function nodeOf(request: AdmissionRequest): string | undefined {
  const { subresource } = request;
  if (subresource === "") return objectOf<Pod>(request).spec?.nodeName;
  if (subresource !== "binding") return undefined;
  const { target } = objectOf<Binding>(request);
  return target.kind === "Node" ? target.name : undefined;
}

function copyLabels({ object }: AdmissionRequest, name: string, { lookup }: AdmissionContext): void {
  const node = lookup.get("nodes", name);
  for (const label of labels) {
    const value = node?.metadata.labels?.[label];
    if (object !== undefined && value !== undefined) (object.metadata.labels ??= {})[label] = value;
  }
}
