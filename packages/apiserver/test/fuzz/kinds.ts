/** The compared kinds, each with a valid base object. */
import type { Fields } from "./values.ts";

/** A kind. */
export interface FuzzedKind {
  readonly apiVersion: string;
  readonly kind: string;
  /** The path of its collection, with the namespace as `{ns}`. */
  readonly path: string;
  /** The name of the base object; `{ns}` keeps runs of cluster-scoped kinds apart. */
  readonly name: string;
  readonly base: Fields;
  /** Subresources that are written. */
  readonly subresources: readonly string[];
  /** What else writes to its objects: controllers of Kubernetes, or the API server itself. */
  readonly writtenBy?: "controllers" | "server";
}

type More = Partial<Pick<FuzzedKind, "name" | "subresources" | "writtenBy">>;

function namespaced(
  apiVersion: string,
  kind: string,
  plural: string,
  { base, ...more }: { base: Fields } & More,
): FuzzedKind {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return { apiVersion, kind, path: `${root}/namespaces/{ns}/${plural}`, name: "base", subresources: [], base, ...more };
}

function clusterWide(
  apiVersion: string,
  kind: string,
  plural: string,
  { base, ...more }: { base: Fields } & More,
): FuzzedKind {
  const root = apiVersion === "v1" ? "/api/v1" : `/apis/${apiVersion}`;
  return { apiVersion, kind, path: `${root}/${plural}`, name: "base-{ns}", subresources: [], base, ...more };
}

const selector = { matchLabels: { app: "a" } };
const probe = { httpGet: { path: "/", port: 80 }, periodSeconds: 5 };
const container = {
  name: "c",
  image: "i:1",
  ports: [{ containerPort: 80, name: "http" }],
  env: [
    { name: "A", value: "1" },
    { name: "B", valueFrom: { fieldRef: { fieldPath: "metadata.name" } } },
  ],
  resources: { requests: { cpu: "1" }, limits: { cpu: "2", memory: "1Gi" } },
  volumeMounts: [{ name: "v", mountPath: "/v" }],
  readinessProbe: probe,
};
const podSpec = {
  containers: [container],
  volumes: [{ name: "v", emptyDir: {} }],
  tolerations: [{ key: "a", operator: "Exists" }],
};
const template = { metadata: { labels: { app: "a" } }, spec: podSpec };
const jobSpec = { backoffLimit: 3, template: { spec: { ...podSpec, restartPolicy: "Never" } } };
const nowhere = {
  apiGroups: ["nowhere.example.com"],
  apiVersions: ["v1"],
  resources: ["things"],
  operations: ["CREATE"],
};
const webhook = {
  name: "a.example.com",
  clientConfig: { url: "https://nowhere.example.com/hook" },
  rules: [nowhere],
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  matchConditions: [{ name: "a", expression: "true" }],
};
const matchConstraints = { resourceRules: [nowhere] };
const subjects = [{ kind: "User", name: "u", apiGroup: "rbac.authorization.k8s.io" }];
const claimSpec = {
  devices: {
    requests: [{ name: "r", exactly: { deviceClassName: "c", selectors: [{ cel: { expression: "true" } }] } }],
    constraints: [{ requests: ["r"], matchAttribute: "example.com/a" }],
    config: [{ requests: ["r"], opaque: { driver: "d.example.com", parameters: { a: 1 } } }],
  },
};
const volumeClaimSpec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };

const core: readonly FuzzedKind[] = [
  namespaced("v1", "ConfigMap", "configmaps", { base: { data: { a: "1" }, binaryData: { b: "YQ==" } } }),
  namespaced("v1", "Secret", "secrets", { base: { data: { a: "YQ==" } } }),
  namespaced("v1", "ServiceAccount", "serviceaccounts", {
    base: { secrets: [{ name: "s" }] },
    writtenBy: "controllers",
  }),
  namespaced("v1", "LimitRange", "limitranges", {
    base: { spec: { limits: [{ type: "Container", max: { cpu: "2" }, default: { cpu: "1" } }] } },
    // In a namespace with a LimitRange, admission changes pods.
    name: "base",
  }),
  namespaced("v1", "ResourceQuota", "resourcequotas", {
    base: { spec: { hard: { "count/things": "1" } } },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("v1", "Pod", "pods", {
    base: { metadata: { labels: { app: "a" } }, spec: podSpec },
    subresources: ["status", "ephemeralcontainers", "resize"],
    writtenBy: "controllers",
  }),
  namespaced("v1", "PodTemplate", "podtemplates", { base: { template } }),
  namespaced("v1", "Service", "services", {
    base: {
      spec: { clusterIP: "None", selector: { app: "a" }, ports: [{ name: "http", port: 80, targetPort: "http" }] },
    },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("v1", "Endpoints", "endpoints", {
    base: { subsets: [{ addresses: [{ ip: "10.1.1.1" }], ports: [{ name: "a", port: 80 }] }] },
    writtenBy: "controllers",
  }),
  namespaced("v1", "Event", "events", {
    base: {
      involvedObject: { kind: "Pod", namespace: "{ns}", name: "p" },
      reason: "R",
      message: "m",
      type: "Normal",
      source: { component: "c" },
    },
  }),
  namespaced("v1", "ReplicationController", "replicationcontrollers", {
    base: { spec: { replicas: 0, selector: { app: "a" }, template } },
    subresources: ["status", "scale"],
    writtenBy: "controllers",
  }),
  namespaced("v1", "PersistentVolumeClaim", "persistentvolumeclaims", {
    base: { spec: volumeClaimSpec },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  clusterWide("v1", "PersistentVolume", "persistentvolumes", {
    base: {
      spec: {
        capacity: { storage: "1Gi" },
        accessModes: ["ReadWriteOnce"],
        hostPath: { path: "/a" },
        storageClassName: "fuzz",
      },
    },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  clusterWide("v1", "Node", "nodes", {
    base: { spec: { podCIDR: "10.0.0.0/24", taints: [{ key: "a", effect: "NoSchedule" }] } },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  clusterWide("v1", "Namespace", "namespaces", {
    base: {},
    subresources: ["status", "finalize"],
    writtenBy: "controllers",
  }),
];

const workloads: readonly FuzzedKind[] = [
  namespaced("apps/v1", "Deployment", "deployments", {
    base: { spec: { replicas: 0, selector, template } },
    subresources: ["status", "scale"],
    writtenBy: "controllers",
  }),
  namespaced("apps/v1", "ReplicaSet", "replicasets", {
    base: { spec: { replicas: 0, selector, template } },
    subresources: ["status", "scale"],
    writtenBy: "controllers",
  }),
  namespaced("apps/v1", "DaemonSet", "daemonsets", {
    base: { spec: { selector, template } },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("apps/v1", "StatefulSet", "statefulsets", {
    base: {
      spec: {
        replicas: 0,
        serviceName: "s",
        selector,
        template,
        volumeClaimTemplates: [{ metadata: { name: "d" }, spec: volumeClaimSpec }],
      },
    },
    subresources: ["status", "scale"],
    writtenBy: "controllers",
  }),
  namespaced("apps/v1", "ControllerRevision", "controllerrevisions", { base: { revision: 1, data: { a: 1 } } }),
  namespaced("batch/v1", "Job", "jobs", {
    base: { spec: { ...jobSpec, suspend: true } },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("batch/v1", "CronJob", "cronjobs", {
    base: { spec: { schedule: "0 0 1 1 *", suspend: true, jobTemplate: { spec: jobSpec } } },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("autoscaling/v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    base: {
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" },
        maxReplicas: 3,
        metrics: [
          { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
        ],
        behavior: { scaleUp: { policies: [{ type: "Pods", value: 1, periodSeconds: 5 }] } },
      },
    },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("autoscaling/v1", "HorizontalPodAutoscaler", "horizontalpodautoscalers", {
    base: { spec: { scaleTargetRef: { kind: "Deployment", name: "d", apiVersion: "apps/v1" }, maxReplicas: 3 } },
    name: "first",
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets", {
    base: { spec: { minAvailable: 1, selector } },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
];

const networks: readonly FuzzedKind[] = [
  namespaced("networking.k8s.io/v1", "Ingress", "ingresses", {
    base: {
      spec: {
        ingressClassName: "c",
        tls: [{ hosts: ["a.example.com"], secretName: "s" }],
        rules: [
          {
            host: "a.example.com",
            http: {
              paths: [{ path: "/", pathType: "Prefix", backend: { service: { name: "s", port: { number: 80 } } } }],
            },
          },
        ],
      },
    },
    subresources: ["status"],
  }),
  namespaced("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", {
    base: {
      spec: {
        podSelector: selector,
        ingress: [
          {
            from: [{ podSelector: selector }, { ipBlock: { cidr: "10.0.0.0/8", except: ["10.1.0.0/16"] } }],
            ports: [{ port: 80, endPort: 90, protocol: "TCP" }],
          },
        ],
        egress: [{ to: [{ namespaceSelector: {} }] }],
      },
    },
  }),
  clusterWide("networking.k8s.io/v1", "IngressClass", "ingressclasses", {
    base: { spec: { controller: "example.com/c", parameters: { kind: "K", name: "n", scope: "Cluster" } } },
  }),
  clusterWide("networking.k8s.io/v1", "IPAddress", "ipaddresses", {
    base: { spec: { parentRef: { resource: "services", namespace: "{ns}", name: "s" } } },
    name: "192.168.77.7",
    writtenBy: "server",
  }),
  clusterWide("networking.k8s.io/v1", "ServiceCIDR", "servicecidrs", {
    base: { spec: { cidrs: ["192.168.0.0/24"] } },
    subresources: ["status"],
    writtenBy: "server",
  }),
  namespaced("discovery.k8s.io/v1", "EndpointSlice", "endpointslices", {
    base: {
      addressType: "IPv4",
      endpoints: [{ addresses: ["10.1.1.1"], conditions: { ready: true }, hints: { forZones: [{ name: "z" }] } }],
      ports: [{ name: "a", port: 80 }],
    },
  }),
  namespaced("coordination.k8s.io/v1", "Lease", "leases", {
    base: { spec: { leaseDurationSeconds: 1, holderIdentity: "me" } },
  }),
  namespaced("events.k8s.io/v1", "Event", "events", {
    base: {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "example.com/c",
      reportingInstance: "i",
      action: "A",
      reason: "R",
      type: "Normal",
      regarding: { kind: "Pod", namespace: "{ns}", name: "p" },
    },
    name: "later",
  }),
];

const rights: readonly FuzzedKind[] = [
  namespaced("rbac.authorization.k8s.io/v1", "Role", "roles", {
    base: { rules: [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }] },
  }),
  namespaced("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings", {
    base: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "base" }, subjects },
  }),
  clusterWide("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", {
    base: {
      rules: [{ nonResourceURLs: ["/a"], verbs: ["get"] }],
      aggregationRule: { clusterRoleSelectors: [{ matchLabels: { nowhere: "x" } }] },
    },
    writtenBy: "controllers",
  }),
  clusterWide("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", "clusterrolebindings", {
    base: { roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" }, subjects },
  }),
  clusterWide("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations", {
    base: { webhooks: [webhook] },
  }),
  clusterWide("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", {
    base: { webhooks: [webhook] },
  }),
  clusterWide("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", {
    base: {
      spec: {
        matchConstraints,
        variables: [{ name: "v", expression: "1" }],
        validations: [{ expression: "true", messageExpression: "'m'" }],
        auditAnnotations: [{ key: "k", valueExpression: "'v'" }],
      },
    },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  clusterWide(
    "admissionregistration.k8s.io/v1",
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    { base: { spec: { policyName: "p", validationActions: ["Deny"], matchResources: matchConstraints } } },
  ),
  clusterWide("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies", {
    base: {
      spec: {
        matchConstraints,
        reinvocationPolicy: "Never",
        mutations: [
          { patchType: "JSONPatch", jsonPatch: { expression: '[JSONPatch{op: "test", path: "/kind", value: "X"}]' } },
        ],
      },
    },
  }),
  clusterWide("admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", {
    base: { spec: { policyName: "p", matchResources: matchConstraints } },
  }),
  clusterWide("flowcontrol.apiserver.k8s.io/v1", "FlowSchema", "flowschemas", {
    base: {
      spec: {
        matchingPrecedence: 9000,
        priorityLevelConfiguration: { name: "exempt" },
        rules: [
          {
            subjects: [{ kind: "User", user: { name: "u" } }],
            nonResourceRules: [{ verbs: ["get"], nonResourceURLs: ["/nowhere"] }],
          },
        ],
      },
    },
    subresources: ["status"],
    writtenBy: "server",
  }),
  clusterWide("flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", {
    base: {
      spec: {
        type: "Limited",
        limited: {
          nominalConcurrencyShares: 1,
          limitResponse: { type: "Queue", queuing: { queues: 8, handSize: 2, queueLengthLimit: 5 } },
        },
      },
    },
    subresources: ["status"],
    writtenBy: "server",
  }),
];

const machines: readonly FuzzedKind[] = [
  clusterWide("storage.k8s.io/v1", "StorageClass", "storageclasses", {
    base: {
      provisioner: "example.com/p",
      parameters: { a: "b" },
      allowedTopologies: [{ matchLabelExpressions: [{ key: "k", values: ["v"] }] }],
    },
  }),
  clusterWide("storage.k8s.io/v1", "CSIDriver", "csidrivers", {
    base: { spec: { tokenRequests: [{ audience: "a" }], volumeLifecycleModes: ["Persistent"] } },
  }),
  clusterWide("storage.k8s.io/v1", "CSINode", "csinodes", {
    base: {
      spec: { drivers: [{ name: "d.example.com", nodeID: "n", topologyKeys: ["k"], allocatable: { count: 1 } }] },
    },
  }),
  namespaced("storage.k8s.io/v1", "CSIStorageCapacity", "csistoragecapacities", {
    base: { storageClassName: "c", capacity: "1Gi", nodeTopology: selector },
  }),
  clusterWide("storage.k8s.io/v1", "VolumeAttachment", "volumeattachments", {
    base: { spec: { attacher: "a.example.com", nodeName: "n", source: { persistentVolumeName: "v" } } },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  clusterWide("storage.k8s.io/v1", "VolumeAttributesClass", "volumeattributesclasses", {
    base: { driverName: "d.example.com", parameters: { a: "b" } },
    writtenBy: "controllers",
  }),
  clusterWide("scheduling.k8s.io/v1", "PriorityClass", "priorityclasses", { base: { value: 10 } }),
  clusterWide("node.k8s.io/v1", "RuntimeClass", "runtimeclasses", {
    base: {
      handler: "h",
      overhead: { podFixed: { cpu: "1" } },
      scheduling: { nodeSelector: { a: "b" }, tolerations: [{ key: "t", operator: "Exists" }] },
    },
  }),
  clusterWide("resource.k8s.io/v1", "DeviceClass", "deviceclasses", {
    base: {
      spec: {
        selectors: [{ cel: { expression: "device.driver == 'd'" } }],
        config: [{ opaque: { driver: "d.example.com", parameters: { a: 1 } } }],
      },
    },
  }),
  namespaced("resource.k8s.io/v1", "ResourceClaim", "resourceclaims", {
    base: { spec: claimSpec },
    subresources: ["status"],
    writtenBy: "controllers",
  }),
  namespaced("resource.k8s.io/v1", "ResourceClaimTemplate", "resourceclaimtemplates", {
    base: { spec: { spec: claimSpec } },
  }),
  clusterWide("resource.k8s.io/v1", "ResourceSlice", "resourceslices", {
    base: {
      spec: {
        driver: "d.example.com",
        nodeName: "n",
        pool: { name: "p", generation: 1, resourceSliceCount: 1 },
        devices: [
          {
            name: "dev-0",
            attributes: { model: { string: "m" }, count: { int: 1 } },
            capacity: { memory: { value: "1Gi" } },
          },
        ],
      },
    },
    writtenBy: "controllers",
  }),
  clusterWide("apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions", {
    base: {
      spec: {
        group: "{ns}.example.com",
        scope: "Namespaced",
        names: { plural: "widgets", singular: "widget", kind: "Widget", listKind: "WidgetList" },
        versions: [
          {
            name: "v1",
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: "object",
                properties: { spec: { type: "object", properties: { a: { type: "string", default: "x" } } } },
              },
            },
            additionalPrinterColumns: [{ name: "A", type: "string", jsonPath: ".spec.a" }],
            selectableFields: [{ jsonPath: ".spec.a" }],
          },
        ],
      },
    },
    name: "widgets.{ns}.example.com",
    subresources: ["status"],
    writtenBy: "server",
  }),
  clusterWide("apiregistration.k8s.io/v1", "APIService", "apiservices", {
    base: {
      spec: {
        group: "more-{ns}.example.com",
        version: "v1",
        groupPriorityMinimum: 10,
        versionPriority: 10,
        insecureSkipTLSVerify: true,
        service: { name: "s", namespace: "{ns}", port: 443 },
      },
    },
    name: "v1.more-{ns}.example.com",
    subresources: ["status"],
    writtenBy: "server",
  }),
];

export const fuzzedKinds: readonly FuzzedKind[] = [...core, ...workloads, ...networks, ...rights, ...machines];
