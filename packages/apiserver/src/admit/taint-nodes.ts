/** TaintNodesByCondition: a new node gets the not-ready taint. */
import type { Node } from "@capstan/kinds/v1";
import type { AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor, objectOf } from "./target.ts";

const notReady = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const;

export const taintNodesByCondition: AdmissionStep = {
  name: "TaintNodesByCondition",
  handles: (operation) => operation === "CREATE",
  mutate: taint,
};

function taint(request: AdmissionRequest): void {
  if (!isFor(request, "nodes")) return;
  const node = objectOf<Node>(request);
  const spec = (node.spec ??= {});
  const taints = (spec.taints ??= []);
  if (!taints.some(({ key, effect }) => key === notReady.key && effect === notReady.effect)) taints.push(notReady);
}
