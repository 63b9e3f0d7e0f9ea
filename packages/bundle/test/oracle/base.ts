/** A small bundle with a bit of everything, for mutations to break. */

/** Documents by path, as values. */
export type Documents = { readonly [path: string]: unknown };

const schema = {
  type: "object",
  properties: {
    apiVersion: { type: "string" },
    kind: { type: "string" },
    metadata: { type: "object" },
    spec: { type: "object", properties: { size: { type: "integer", format: "int32" }, image: { type: "string" } } },
    status: { type: "object", properties: { nodes: { type: "array", items: { type: "string" } } } },
  },
};

const crd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "caches.example.com" },
  spec: {
    group: "example.com",
    names: { kind: "Cache", listKind: "CacheList", plural: "caches", singular: "cache", shortNames: ["ca"] },
    scope: "Namespaced",
    versions: [
      { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, subresources: { status: {} } },
      { name: "v1alpha1", served: true, storage: false, schema: { openAPIV3Schema: schema }, deprecated: true },
    ],
    conversion: { strategy: "None" },
  },
};

const example = { apiVersion: "example.com/v1", kind: "Cache", metadata: { name: "sample" }, spec: { size: 1 } };

const deployment = {
  name: "cache-operator",
  label: { app: "cache-operator" },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: "cache-operator" } },
    template: {
      metadata: { labels: { app: "cache-operator" } },
      spec: {
        serviceAccountName: "cache-operator",
        containers: [
          {
            name: "manager",
            image: "registry.example.com/cache-operator:v1.2.3",
            args: ["--leader-elect"],
            env: [{ name: "RELATED_IMAGE_CACHE", value: "registry.example.com/cache:v1" }],
            ports: [{ containerPort: 9443, name: "webhook" }],
            resources: { requests: { cpu: "10m", memory: "64Mi" } },
          },
        ],
      },
    },
  },
};

const csv = {
  apiVersion: "operators.coreos.com/v1alpha1",
  kind: "ClusterServiceVersion",
  metadata: {
    name: "cache-operator.v1.2.3",
    namespace: "placeholder",
    labels: { "operatorframework.io/arch.amd64": "supported" },
    annotations: {
      "alm-examples": JSON.stringify([example, { ...example, apiVersion: "example.com/v1alpha1" }]),
      capabilities: "Seamless Upgrades",
      categories: "Database, Storage",
      "olm.skipRange": ">=1.0.0 <1.2.3",
      createdAt: "2026-01-01T00:00:00Z",
    },
  },
  spec: {
    displayName: "Cache",
    description: "Runs caches",
    version: "1.2.3",
    replaces: "cache-operator.v1.2.2",
    skips: ["cache-operator.v1.2.1"],
    maturity: "alpha",
    minKubeVersion: "1.25.0",
    keywords: ["cache"],
    maintainers: [{ name: "Ann", email: "ann@example.com" }],
    provider: { name: "Example", url: "https://example.com" },
    links: [{ name: "Docs", url: "https://example.com/docs" }],
    icon: [{ base64data: "PHN2Zz48L3N2Zz4=", mediatype: "image/svg+xml" }],
    installModes: [
      { type: "OwnNamespace", supported: false },
      { type: "SingleNamespace", supported: false },
      { type: "MultiNamespace", supported: false },
      { type: "AllNamespaces", supported: true },
    ],
    customresourcedefinitions: {
      owned: ["v1", "v1alpha1"].map((version) => ({
        name: "caches.example.com",
        version,
        kind: "Cache",
        displayName: "Cache",
        description: "A cache",
        resources: [{ kind: "Deployment", name: "", version: "apps/v1" }],
        specDescriptors: [{ path: "size", displayName: "Size", description: "How many" }],
        statusDescriptors: [{ path: "nodes", displayName: "Nodes", "x-descriptors": ["urn:text"] }],
      })),
      required: [{ name: "others.example.org", version: "v1", kind: "Other", description: "Another" }],
    },
    webhookdefinitions: [
      {
        type: "ValidatingAdmissionWebhook",
        generateName: "vcache.example.com",
        deploymentName: "cache-operator",
        containerPort: 443,
        targetPort: 9443,
        sideEffects: "None",
        admissionReviewVersions: ["v1"],
        failurePolicy: "Fail",
        webhookPath: "/validate",
        rules: [{ apiGroups: ["example.com"], apiVersions: ["v1"], operations: ["CREATE"], resources: ["caches"] }],
      },
    ],
    install: {
      strategy: "deployment",
      spec: {
        deployments: [deployment],
        permissions: [
          {
            serviceAccountName: "cache-operator",
            rules: [{ apiGroups: [""], resources: ["configmaps", "events"], verbs: ["get", "create"] }],
          },
        ],
        clusterPermissions: [
          {
            serviceAccountName: "cache-operator",
            rules: [{ apiGroups: ["example.com"], resources: ["caches"], verbs: ["*"] }],
          },
        ],
      },
    },
    relatedImages: [{ name: "cache", image: "registry.example.com/cache:v1" }],
  },
};

/** The bundle. */
export const base: Documents = {
  "manifests/cache-operator.clusterserviceversion.yaml": csv,
  "manifests/example.com_caches.yaml": crd,
  "manifests/reader_clusterrole.yaml": {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRole",
    metadata: { name: "reader" },
    rules: [{ apiGroups: ["example.com"], resources: ["caches"], verbs: ["get"] }],
  },
  "manifests/budget.yaml": {
    apiVersion: "policy/v1",
    kind: "PodDisruptionBudget",
    metadata: { name: "budget" },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: "cache-operator" } } },
  },
  "manifests/extra_serviceaccount.yaml": { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "extra" } },
  "metadata/annotations.yaml": {
    annotations: {
      "operators.operatorframework.io.bundle.mediatype.v1": "registry+v1",
      "operators.operatorframework.io.bundle.manifests.v1": "manifests/",
      "operators.operatorframework.io.bundle.metadata.v1": "metadata/",
      "operators.operatorframework.io.bundle.package.v1": "cache-operator",
      "operators.operatorframework.io.bundle.channels.v1": "stable,candidate-v1",
      "operators.operatorframework.io.bundle.channel.default.v1": "stable",
    },
  },
  "metadata/dependencies.yaml": {
    dependencies: [
      { type: "olm.package", value: { packageName: "other", version: ">=1.0.0 <2.0.0" } },
      { type: "olm.gvk", value: { group: "example.org", version: "v1", kind: "Other" } },
    ],
  },
};
