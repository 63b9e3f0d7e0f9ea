/** DefaultTolerationSeconds: pods tolerate a node that is not ready or unreachable for five minutes. */
import type { Pod, Toleration } from "@capstan/kinds/v1";
import type { Draft } from "../builtin/draft.ts";
import type { AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor, objectOf } from "./target.ts";

const keys = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"];
const seconds = 300;

export const defaultTolerationSeconds: AdmissionStep = {
  name: "DefaultTolerationSeconds",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  mutate: tolerate,
};

function tolerate(request: AdmissionRequest): void {
  if (!isFor(request, "pods")) return;
  const { spec } = objectOf<Pod>(request);
  if (spec === undefined) return;
  const given = spec.tolerations ?? [];
  const missing = keys.filter((key) => !given.some((toleration) => tolerates(toleration, key)));
  if (missing.length === 0) return;
  const added = missing.map((key) => ({
    key,
    operator: "Exists",
    effect: "NoExecute",
    tolerationSeconds: seconds,
  }));
  spec.tolerations = [...given, ...(added as Draft<Toleration>[])];
}

function tolerates({ key, effect }: Draft<Toleration>, taint: string): boolean {
  return (key ?? taint) === taint && (effect ?? "NoExecute") === "NoExecute";
}
