/** The kinds that are tried, each with an object that patches are tried on. */
import type { Json } from "@capstan/model";

/** A kind. */
export interface FuzzedKind {
  readonly definition: string;
  readonly apiVersion: string;
  readonly kind: string;
  /** The path of its collection, with the namespace as `{ns}`. */
  readonly path: string;
  readonly base: { readonly [field: string]: Json };
  /** Whether a controller of Kubernetes writes to its objects. */
  readonly isControlled?: true;
}

const core = "/api/v1/namespaces/{ns}";
const selector = { matchLabels: { app: "a" } };
const template = { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i:1" }] } };

/** Everything that is compared. */
export const fuzzedKinds: readonly FuzzedKind[] = [
  {
    definition: "io.k8s.api.core.v1.ConfigMap",
    apiVersion: "v1",
    kind: "ConfigMap",
    path: `${core}/configmaps`,
    base: { data: { a: "1" } },
  },
  {
    definition: "io.k8s.api.core.v1.Secret",
    apiVersion: "v1",
    kind: "Secret",
    path: `${core}/secrets`,
    base: { data: { a: "YQ==" } },
  },
  {
    definition: "io.k8s.api.core.v1.ServiceAccount",
    apiVersion: "v1",
    kind: "ServiceAccount",
    isControlled: true,
    path: `${core}/serviceaccounts`,
    base: {},
  },
  {
    definition: "io.k8s.api.core.v1.LimitRange",
    apiVersion: "v1",
    kind: "LimitRange",
    path: `${core}/limitranges`,
    base: { spec: { limits: [] } },
  },
  {
    definition: "io.k8s.api.core.v1.ResourceQuota",
    apiVersion: "v1",
    kind: "ResourceQuota",
    isControlled: true,
    path: `${core}/resourcequotas`,
    base: { spec: { hard: { pods: "1" } } },
  },
  {
    definition: "io.k8s.api.coordination.v1.Lease",
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    path: "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases",
    base: { spec: { leaseDurationSeconds: 1 } },
  },
  {
    definition: "io.k8s.api.apps.v1.Deployment",
    apiVersion: "apps/v1",
    kind: "Deployment",
    isControlled: true,
    path: "/apis/apps/v1/namespaces/{ns}/deployments",
    base: { spec: { selector, template } },
  },
  {
    definition: "io.k8s.api.apps.v1.StatefulSet",
    apiVersion: "apps/v1",
    kind: "StatefulSet",
    isControlled: true,
    path: "/apis/apps/v1/namespaces/{ns}/statefulsets",
    base: { spec: { serviceName: "s", selector, template } },
  },
  {
    definition: "io.k8s.api.batch.v1.CronJob",
    apiVersion: "batch/v1",
    kind: "CronJob",
    isControlled: true,
    path: "/apis/batch/v1/namespaces/{ns}/cronjobs",
    base: {
      spec: {
        schedule: "* * * * *",
        jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: "Never" } } } },
      },
    },
  },
  {
    definition: "io.k8s.api.rbac.v1.Role",
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "Role",
    path: "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles",
    base: { rules: [] },
  },
  {
    definition: "io.k8s.api.policy.v1.PodDisruptionBudget",
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    isControlled: true,
    path: "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets",
    base: { spec: { minAvailable: 1 } },
  },
];
