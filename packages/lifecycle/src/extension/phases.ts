/** The order in which the objects of an extension are rolled out: phase by phase, the next one when all of one are ready. */
import type { KubeObject } from "@capstan/model";

/** The phases in order. */
export const phaseNames = [
  "namespaces",
  "policies",
  "identity",
  "configuration",
  "storage",
  "crds",
  "roles",
  "bindings",
  "infrastructure",
  "deploy",
  "scaling",
  "publish",
  "admission",
] as const;

/** The name of a phase. */
export type PhaseName = (typeof phaseNames)[number];

/** Objects that are applied together. */
export interface Phase<Item extends KubeObject = KubeObject> {
  readonly name: PhaseName;
  readonly objects: readonly Item[];
}

/** The kinds of each phase, as `Kind` or `Kind.group`. Other kinds are in `deploy`, because a Deployment may need them. */
const kinds: Readonly<Partial<Record<PhaseName, readonly string[]>>> = {
  namespaces: ["Namespace"],
  policies: ["NetworkPolicy.networking.k8s.io", "PodDisruptionBudget.policy", "PriorityClass.scheduling.k8s.io"],
  identity: ["ServiceAccount"],
  configuration: ["Secret", "ConfigMap"],
  storage: ["PersistentVolume", "PersistentVolumeClaim", "StorageClass.storage.k8s.io"],
  crds: ["CustomResourceDefinition.apiextensions.k8s.io"],
  roles: ["ClusterRole.rbac.authorization.k8s.io", "Role.rbac.authorization.k8s.io"],
  bindings: ["ClusterRoleBinding.rbac.authorization.k8s.io", "RoleBinding.rbac.authorization.k8s.io"],
  infrastructure: ["Service", "Issuer.cert-manager.io", "Certificate.cert-manager.io"],
  scaling: ["VerticalPodAutoscaler.autoscaling.k8s.io"],
  publish: [
    "PrometheusRule.monitoring.coreos.com",
    "ServiceMonitor.monitoring.coreos.com",
    "PodMonitor.monitoring.coreos.com",
    "Ingress.networking.k8s.io",
    "Route.route.openshift.io",
    "ConsoleYAMLSample.console.openshift.io",
    "ConsoleQuickStart.console.openshift.io",
    "ConsoleCLIDownload.console.openshift.io",
    "ConsoleLink.console.openshift.io",
    "ConsolePlugin.console.openshift.io",
  ],
  admission: [
    "ValidatingWebhookConfiguration.admissionregistration.k8s.io",
    "MutatingWebhookConfiguration.admissionregistration.k8s.io",
  ],
};

const phaseOfKind = new Map(phaseNames.flatMap((name) => (kinds[name] ?? []).map((kind) => [kind, name] as const)));

/** The objects by phase. Phases without objects are left out; within one, the order does not depend on the input. */
export function toPhases<Item extends KubeObject>(objects: readonly Item[]): Phase<Item>[] {
  const sorted = objects.toSorted((a, b) => compareLists(orderOf(a), orderOf(b)));
  return phaseNames.flatMap((name) => {
    const members = sorted.filter((object) => phaseOf(object) === name);
    return members.length === 0 ? [] : [{ name, objects: members }];
  });
}

function phaseOf({ apiVersion, kind }: KubeObject): PhaseName {
  const [group] = groupVersionOf(apiVersion);
  return phaseOfKind.get(group === "" ? kind : `${kind}.${group}`) ?? "deploy";
}

function groupVersionOf(apiVersion: string): [string, string] {
  const slash = apiVersion.indexOf("/");
  return [apiVersion.slice(0, Math.max(slash, 0)), apiVersion.slice(slash + 1)];
}

function orderOf({ apiVersion, kind, metadata }: KubeObject): string[] {
  return [...groupVersionOf(apiVersion), kind, metadata.namespace ?? "", metadata.name ?? ""];
}

function compareLists(a: readonly string[], b: readonly string[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at] ?? "";
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
