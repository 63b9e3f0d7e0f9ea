/** The permissions of the manager: what its controllers do, and no more. */
import { olmDefinitions } from "../definitions/definitions.ts";

/** A rule of a ClusterRole. */
export interface ManagerRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

const write = ["get", "list", "watch", "create", "update", "patch", "delete"];
const read = ["get", "list", "watch"];

/** The rules. */
export function managerRules(): readonly ManagerRule[] {
  return [...ownKinds(), ...installed, ...granted, ...observed];
}

/** The kinds that the manager serves. */
function ownKinds(): readonly ManagerRule[] {
  const groups = [...new Set(olmDefinitions().map(({ spec }) => spec.group))];
  return [{ apiGroups: groups, resources: ["*"], verbs: write }];
}

/** What plans and revisions contain. */
const installed: readonly ManagerRule[] = [
  {
    apiGroups: [""],
    resources: ["configmaps", "secrets", "services", "serviceaccounts", "namespaces", "persistentvolumeclaims"],
    verbs: write,
  },
  { apiGroups: ["apps"], resources: ["deployments"], verbs: write },
  { apiGroups: ["apiextensions.k8s.io"], resources: ["customresourcedefinitions"], verbs: write },
  { apiGroups: ["apiregistration.k8s.io"], resources: ["apiservices"], verbs: write },
  // The Service of PackageManifests leads to the manager's pod.
  { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: write },
  {
    apiGroups: ["admissionregistration.k8s.io"],
    resources: ["mutatingwebhookconfigurations", "validatingwebhookconfigurations"],
    verbs: write,
  },
  { apiGroups: ["policy"], resources: ["poddisruptionbudgets"], verbs: write },
  { apiGroups: ["scheduling.k8s.io"], resources: ["priorityclasses"], verbs: write },
  { apiGroups: ["networking.k8s.io"], resources: ["networkpolicies"], verbs: write },
  { apiGroups: ["autoscaling.k8s.io"], resources: ["verticalpodautoscalers"], verbs: write },
  { apiGroups: ["cert-manager.io"], resources: ["certificates", "issuers"], verbs: write },
  {
    apiGroups: ["monitoring.coreos.com"],
    resources: ["podmonitors", "prometheusrules", "servicemonitors"],
    verbs: write,
  },
  { apiGroups: ["console.openshift.io"], resources: ["*"], verbs: write },
];

/** Operators get the permissions that their bundles ask for, which the manager does not have itself. */
const granted: readonly ManagerRule[] = [
  {
    apiGroups: ["rbac.authorization.k8s.io"],
    resources: ["clusterroles", "clusterrolebindings", "roles", "rolebindings"],
    verbs: [...write, "escalate", "bind"],
  },
  // Plans of an OperatorGroup with a service account run with the permissions of that account.
  { apiGroups: [""], resources: ["serviceaccounts"], verbs: ["impersonate"] },
];

/** A CRD is compared with every object that is stored, whatever its kind is. */
const observed: readonly ManagerRule[] = [
  { apiGroups: ["*"], resources: ["*"], verbs: ["get", "list"] },
  { apiGroups: [""], resources: ["pods"], verbs: read },
  { apiGroups: ["", "events.k8s.io"], resources: ["events"], verbs: ["create", "patch", "update"] },
  {
    apiGroups: ["coordination.k8s.io"],
    resources: ["leases"],
    verbs: ["get", "list", "watch", "create", "update", "patch"],
  },
];
