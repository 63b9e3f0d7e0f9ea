/** Which objects a bundle may hold, and what their metadata may say. */
import { fieldErrors } from "@capstan/model";
import { validateObjectMeta } from "@capstan/schema";
import type { Bundle } from "../read/bundle.ts";
import { formatKind, kindOf, textAt } from "../read/object.ts";
import { aboutBundle, failed, type Finding } from "./finding.ts";

/** The kinds that OLM installs beside a ClusterServiceVersion and CRDs. */
const supported = new Set([
  "ClusterServiceVersion",
  "CustomResourceDefinition",
  "Secret",
  "ClusterRole",
  "ClusterRoleBinding",
  "ConfigMap",
  "ServiceAccount",
  "Service",
  "Role",
  "RoleBinding",
  "PrometheusRule",
  "ServiceMonitor",
  "PodDisruptionBudget",
  "PriorityClass",
  "VerticalPodAutoscaler",
  "ConsoleYAMLSample",
  "ConsoleQuickStart",
  "ConsoleCLIDownload",
  "ConsoleLink",
  "ConsolePlugin",
  "NetworkPolicy",
  "PodMonitor",
]);

/** Whether OLM installs objects of a kind. */
export function isSupportedKind(kind: string): boolean {
  return supported.has(kind);
}

/** What is wrong with the objects of a bundle. */
export function validateContent({ objects }: Pick<Bundle, "objects">, mediaType: string): Finding[] {
  return objects.flatMap(({ value }) => {
    const kind = kindOf(value);
    if (kind.kind === "ClusterServiceVersion" || kind.kind === "CustomResourceDefinition") return [];
    if (mediaType === "registry+v1" && !supported.has(kind.kind))
      return [aboutBundle("Error", formatKind(kind), `unsupported media type ${mediaType} for bundle object`)];
    const problems = validateObjectMeta(
      value["metadata"] ?? {},
      { namespaced: false, checkName: () => [] },
      "metadata",
    );
    if (problems.length === 0) return [];
    const name = textAt(value, "metadata", "name");
    return [failed("Error", name, `error validating object: ${fieldErrors.formatAll(problems)}. ${kind.kind} ${name}`)];
  });
}
