/** The objects that put an operator on a cluster: CRDs, an identity with its permissions, and a Deployment with restricted security. */
import { labelsOf, type Manifest } from "./manifest.ts";
import { meterRoles } from "./meters.ts";
import { accountMetadata, containerFields, podFields, podMetadata, resourcesOf } from "./pod.ts";
import type { Program } from "./program.ts";
import {
  certificateRules,
  leaderRules,
  metricsGuardRules,
  type PolicyRule,
  registrationRules,
  rulesOf,
} from "./rules.ts";
import { servesWebhooks } from "./webhooks.ts";

/** Where and how an operator is put on a cluster. */
export interface Placement {
  readonly namespace: string;
  readonly image: string;
  readonly replicas: number;
  /** Watch only the operator's own namespace. */
  readonly namespaced: boolean;
  /** Who registers webhooks and manages their certificates. Default: the operator. */
  readonly registrar?: "operator" | "installer";
}

/** Everything that an installation consists of, by part and in the order in which it is created. */
export interface Installation {
  readonly namespace: Manifest;
  readonly crds: readonly Manifest[];
  readonly rbac: readonly Manifest[];
  readonly manager: readonly Manifest[];
}

/** The objects of an operator. */
export function installationOf(program: Program, placement: Placement): Installation {
  return {
    namespace: namespaceOf(program, placement),
    crds: crdsOf(program),
    rbac: rbacOf(program, placement),
    manager: [
      metricsService(program, placement),
      ...(servesWebhooks(program) ? [webhookService(program, placement)] : []),
      deploymentOf(program, placement),
    ],
  };
}

/** The CRDs of a program's own resources. */
export function crdsOf({ resources }: Program): readonly Manifest[] {
  // A CRD is a Kubernetes object with its own fields.
  return resources.map((resource) => resource.toCrd() as unknown as Manifest);
}

function namespaceOf(program: Program, { namespace }: Placement): Manifest {
  const labels = { ...labelsOf(program), "pod-security.kubernetes.io/enforce": "restricted" };
  return { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } };
}

/** The service account and all roles and bindings. */
export function rbacOf(program: Program, placement: Placement): readonly Manifest[] {
  const { name } = program;
  const { namespaced, cluster } = rulesOf(program);
  const here = { program, placement, scope: placement.namespace } as const;
  const everywhere = { program, placement } as const;
  const own = placement.namespaced
    ? [
        ...bound({ ...here, name, rules: namespaced }),
        ...(cluster.length > 0 ? bound({ ...everywhere, name, rules: cluster }) : []),
      ]
    : bound({ ...everywhere, name, rules: [...namespaced, ...cluster] });
  return [
    {
      apiVersion: "v1",
      kind: "ServiceAccount",
      metadata: { ...metaOf(program, { name, namespace: placement.namespace }), ...accountMetadata(program.pod) },
    },
    ...own,
    ...bound({ ...here, name: `${name}-leader-election`, rules: leaderRules(program) }),
    ...bound({ ...everywhere, name: `${name}-metrics-auth`, rules: metricsGuardRules }),
    ...(placement.registrar === "installer" ? [] : webhookRoles(program, placement)),
    {
      apiVersion: rbacVersion,
      kind: "ClusterRole",
      metadata: metaOf(program, { name: `${name}-metrics-reader` }),
      rules: [{ nonResourceURLs: ["/metrics"], verbs: ["get"] }],
    },
    ...program.resources.flatMap((resource) => personRoles(program, resource)),
    ...meterRoles(program),
  ];
}

/** An operator with webhooks manages their certificates; one that only had some removes its registrations. */
function webhookRoles(program: Program, placement: Placement): readonly Manifest[] {
  const { namespace } = placement;
  const role = { program, placement, name: webhookRoleName(program) } as const;
  const registration = registrationRules(program);
  return [
    ...(servesWebhooks(program) ? bound({ ...role, scope: namespace, rules: certificateRules(program.lease) }) : []),
    ...(registration.length > 0 ? bound({ ...role, rules: registration }) : []),
  ];
}

const rbacVersion = "rbac.authorization.k8s.io/v1";

interface Bound {
  readonly program: Program;
  readonly placement: Placement;
  readonly name: string;
  readonly rules: readonly PolicyRule[];
  /** The namespace of the role; absent for the whole cluster. */
  readonly scope?: string;
}

/** A role and its binding to the operator's service account. */
function bound({ program, placement, name, rules, scope }: Bound): Manifest[] {
  const kind = scope === undefined ? "ClusterRole" : "Role";
  const place = scope === undefined ? {} : { namespace: scope };
  return [
    { apiVersion: rbacVersion, kind, metadata: metaOf(program, { name, ...place }), rules },
    {
      apiVersion: rbacVersion,
      kind: `${kind}Binding`,
      metadata: metaOf(program, { name, ...place }),
      roleRef: { apiGroup: "rbac.authorization.k8s.io", kind, name },
      subjects: [{ kind: "ServiceAccount", name: program.name, namespace: placement.namespace }],
    },
  ];
}

const persons = {
  admin: ["*"],
  editor: ["create", "delete", "get", "list", "patch", "update", "watch"],
  viewer: ["get", "list", "watch"],
} as const;

/** Roles for users of a kind; they aggregate to the default cluster roles. */
function personRoles(program: Program, { group, plural, singular }: Program["resources"][number]): Manifest[] {
  const joins = { admin: "admin", editor: "edit", viewer: "view" } as const;
  return (["admin", "editor", "viewer"] as const).map((person) => {
    const metadata = metaOf(program, { name: `${program.name}-${singular}-${person}` });
    const labels = { ...metadata.labels, [`rbac.authorization.k8s.io/aggregate-to-${joins[person]}`]: "true" };
    return {
      apiVersion: rbacVersion,
      kind: "ClusterRole",
      metadata: { ...metadata, labels },
      rules: [
        { apiGroups: [group], resources: [plural], verbs: persons[person] },
        { apiGroups: [group], resources: [`${plural}/status`], verbs: ["get"] },
      ],
    };
  });
}

/** The Service that scrapers find the metrics by. */
function metricsService(program: Program, { namespace }: Placement): Manifest {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metaOf(program, { name: `${program.name}-metrics`, namespace }),
    spec: {
      ports: [{ name: "https", port: 8443, protocol: "TCP", targetPort: "metrics" }],
      selector: { "app.kubernetes.io/name": program.name },
    },
  };
}

/** The Service through which the API server reaches the webhooks. */
function webhookService(program: Program, { namespace }: Placement): Manifest {
  return {
    apiVersion: "v1",
    kind: "Service",
    metadata: metaOf(program, { name: webhookServiceName(program), namespace }),
    spec: {
      ports: [{ name: "https", port: 443, protocol: "TCP", targetPort: "webhook" }],
      selector: { "app.kubernetes.io/name": program.name },
    },
  };
}

/** The operator expects its Service under this name. */
export function webhookServiceName({ lease }: Program): string {
  return `${lease}-webhook`;
}

/** The roles with which an operator keeps its webhooks. */
export function webhookRoleName({ name }: Program): string {
  return `${name}-webhooks`;
}

function deploymentOf(program: Program, placement: Placement): Manifest {
  const labels = labelsOf(program);
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: metaOf(program, { name: program.name, namespace: placement.namespace }),
    spec: {
      replicas: placement.replicas,
      selector: { matchLabels: { "app.kubernetes.io/name": program.name } },
      template: { metadata: { labels, ...podMetadata(program.pod) }, spec: podOf(program, placement) },
    },
  };
}

function podOf(program: Program, placement: Placement): object {
  return {
    ...podFields(program.pod),
    serviceAccountName: program.name,
    terminationGracePeriodSeconds: 40,
    securityContext: { runAsNonRoot: true, runAsUser: 65_532, seccompProfile: { type: "RuntimeDefault" } },
    containers: [containerOf(program, placement)],
  };
}

/** The path at which OLM and controller-runtime expect the webhook certificate. */
export const certificateFolder = "/tmp/k8s-webhook-server/serving-certs";

function containerOf(program: Program, { image, namespaced, registrar }: Placement): object {
  const probe = (path: string, periodSeconds: number): object => ({
    httpGet: { path, port: "health" },
    initialDelaySeconds: 5,
    periodSeconds,
  });
  return {
    name: "manager",
    image,
    args: [
      "--leader-elect",
      "--health-probe-bind-address=:8081",
      "--metrics-bind-address=:8443",
      ...(namespaced ? ["--namespaces=$(POD_NAMESPACE)"] : []),
      // The installer of the operator also installs its CRDs.
      ...(registrar === "installer" ? ["--install-crds=false"] : []),
      ...(registrar === "installer" && servesWebhooks(program) ? [`--webhook-cert-dir=${certificateFolder}`] : []),
    ],
    env: [
      { name: "POD_NAMESPACE", valueFrom: { fieldRef: { fieldPath: "metadata.namespace" } } },
      ...settingsEnv(program),
      ...(program.pod.env ?? []),
    ],
    ports: [
      { name: "health", containerPort: 8081, protocol: "TCP" },
      { name: "metrics", containerPort: 8443, protocol: "TCP" },
      ...(servesWebhooks(program) ? [{ name: "webhook", containerPort: 9443, protocol: "TCP" }] : []),
    ],
    livenessProbe: probe("/healthz", 20),
    readinessProbe: probe("/readyz", 10),
    ...containerFields(program.pod),
    resources: resourcesOf(program.pod),
    securityContext: {
      allowPrivilegeEscalation: false,
      capabilities: { drop: ["ALL"] },
      readOnlyRootFilesystem: true,
    },
  };
}

/** The name of the ConfigMap and of the Secret with the operator's own settings; their keys are the names of the flags. */
export function settingsName({ name }: Pick<Program, "name">): string {
  return `${name}-settings`;
}

/** Both may be missing: the operator names a missing setting in one sentence, where a pod without a key would only wait. */
function settingsEnv(program: Program): object[] {
  return program.settings.map(({ env, flag, isSecret }) => {
    const from = { name: settingsName(program), key: flag, optional: true };
    return { name: env, valueFrom: isSecret ? { secretKeyRef: from } : { configMapKeyRef: from } };
  });
}

function metaOf(program: Program, place: { readonly name: string; readonly namespace?: string }) {
  return { ...place, labels: labelsOf(program) };
}
