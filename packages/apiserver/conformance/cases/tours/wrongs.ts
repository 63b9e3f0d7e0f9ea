/** Objects with many errors at once, and changes of immutable fields: every error, in order. */
import { defineTopic, patch, post, type Step } from "../../case.ts";
import type { Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const here = "/api/v1/namespaces/{ns}";
const rbac = "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}";
const wrong = (path: string, object: Part): Step => post(`${path}?dryRun=All`, object);

export const wrongTours = defineTopic("tour-wrongs", {
  pods: [
    wrong("/api/v1/namespaces/{ns}/pods", {
      metadata: {
        name: "A_B",
        labels: { "a b": "c" },
        annotations: { "/": "v" },
        finalizers: ["x"],
        ownerReferences: [{ apiVersion: "", kind: "", name: "", uid: "" }],
      },
      spec: {
        restartPolicy: "Sometimes",
        dnsPolicy: "Odd",
        terminationGracePeriodSeconds: -1,
        activeDeadlineSeconds: 0,
        nodeSelector: { "a b": "c" },
        containers: [
          {
            name: "A",
            image: " ",
            imagePullPolicy: "X",
            ports: [{ containerPort: 0, protocol: "X", hostPort: 70000, name: "toolongportnameforkube" }],
            env: [{ name: "" }, { name: "a=b", value: "x", valueFrom: { fieldRef: { fieldPath: "nope" } } }],
            resources: { limits: { cpu: "1" }, requests: { cpu: "2" } },
            livenessProbe: { httpGet: { port: 0, path: "" }, successThreshold: 2, timeoutSeconds: -1 },
            volumeMounts: [
              { name: "v", mountPath: "" },
              { name: "v", mountPath: "a:b", subPath: "../x" },
            ],
            securityContext: {
              privileged: true,
              allowPrivilegeEscalation: false,
              runAsUser: -1,
              procMount: "x",
              capabilities: { add: ["all"] },
            },
            lifecycle: { preStop: {} },
            terminationMessagePolicy: "x",
          },
          { name: "A", image: "i" },
        ],
        volumes: [
          { name: "v", emptyDir: {}, hostPath: { path: "../x", type: "odd" } },
          { name: "v", configMap: { items: [{ key: "", path: "../" }], defaultMode: 1000 } },
          { name: "B" },
        ],
        tolerations: [
          { operator: "Exists", value: "x" },
          { key: "k", effect: "Odd", tolerationSeconds: 5 },
        ],
        topologySpreadConstraints: [{ maxSkew: 0, topologyKey: "", whenUnsatisfiable: "x" }],
        hostAliases: [{ ip: "x", hostnames: ["A_"] }],
        securityContext: {
          runAsUser: -2,
          fsGroup: -1,
          sysctls: [{ name: "a b", value: "1" }],
          seccompProfile: { type: "Localhost" },
        },
        affinity: {
          nodeAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: {
              nodeSelectorTerms: [{ matchExpressions: [{ key: "", operator: "Bad" }] }],
            },
          },
          podAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 0, podAffinityTerm: { topologyKey: "" } }],
          },
        },
      },
    }),
  ],
  services: [
    wrong("/api/v1/namespaces/{ns}/services", {
      metadata: { name: "1a" },
      spec: {
        type: "Odd",
        clusterIP: "x",
        ports: [
          { port: 0, protocol: "X", targetPort: "A_", nodePort: 5 },
          { port: 0, name: "A" },
        ],
        sessionAffinity: "X",
        externalIPs: ["127.0.0.1", "x"],
        loadBalancerSourceRanges: ["x"],
        externalTrafficPolicy: "Z",
        ipFamilies: ["IPv5"],
        ipFamilyPolicy: "Q",
        externalName: "A_",
        healthCheckNodePort: 5,
        internalTrafficPolicy: "W",
        trafficDistribution: "E",
        selector: { "a b": "c" },
      },
    }),
  ],
  deployments: [
    wrong("/apis/apps/v1/namespaces/{ns}/deployments", {
      metadata: { name: "d" },
      spec: {
        replicas: -1,
        minReadySeconds: -1,
        revisionHistoryLimit: -1,
        progressDeadlineSeconds: -2,
        strategy: { type: "Recreate", rollingUpdate: { maxSurge: 0 } },
        selector: { matchLabels: { a: "b" }, matchExpressions: [{ key: "k", operator: "In" }] },
        template: { metadata: { labels: { c: "d" } }, spec: { restartPolicy: "Never", containers: [] } },
      },
    }),
  ],
  statefulsets: [
    wrong("/apis/apps/v1/namespaces/{ns}/statefulsets", {
      metadata: { name: "d" },
      spec: {
        replicas: -1,
        podManagementPolicy: "X",
        updateStrategy: { type: "OnDelete", rollingUpdate: { partition: -1 } },
        ordinals: { start: -1 },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: "x" },
        selector: {},
        volumeClaimTemplates: [{ metadata: { name: "A" }, spec: {} }],
        template: { spec: { containers: [{ name: "c", image: "i" }] } },
      },
    }),
  ],
  jobs: [
    wrong("/apis/batch/v1/namespaces/{ns}/jobs", {
      metadata: { name: "j" },
      spec: {
        parallelism: -1,
        completions: -1,
        backoffLimit: -1,
        activeDeadlineSeconds: -1,
        ttlSecondsAfterFinished: -1,
        completionMode: "X",
        backoffLimitPerIndex: -1,
        maxFailedIndexes: -1,
        podReplacementPolicy: "X",
        podFailurePolicy: { rules: [{ action: "X", onExitCodes: { operator: "X", values: [0, 0] } }] },
        managedBy: "x",
        successPolicy: { rules: [{}] },
        template: { spec: { restartPolicy: "Always", containers: [{ name: "c", image: "i" }] } },
      },
    }),
  ],
  cronjobs: [
    wrong("/apis/batch/v1/namespaces/{ns}/cronjobs", {
      metadata: { name: "j".repeat(60) },
      spec: {
        schedule: "* * *",
        timeZone: "Nope/Zone",
        concurrencyPolicy: "X",
        startingDeadlineSeconds: -1,
        successfulJobsHistoryLimit: -1,
        failedJobsHistoryLimit: -1,
        jobTemplate: { spec: { manualSelector: true, template: { spec: { containers: [] } } } },
      },
    }),
  ],
  horizontalpodautoscalers: [
    wrong("/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers", {
      metadata: { name: "h" },
      spec: {
        minReplicas: 0,
        maxReplicas: -1,
        scaleTargetRef: { kind: "", name: "a/b" },
        metrics: [
          { type: "X" },
          {
            type: "Resource",
            resource: { name: "", target: { type: "Utilization", averageValue: "1", averageUtilization: 0 } },
          },
          { type: "Pods" },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: -1,
            selectPolicy: "X",
            policies: [{ type: "X", value: 0, periodSeconds: 0 }],
          },
        },
      },
    }),
  ],
  ingresses: [
    wrong("/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", {
      metadata: { name: "i" },
      spec: {
        ingressClassName: "A_",
        defaultBackend: { service: { name: "", port: { name: "A", number: 5 } }, resource: { kind: "", name: "" } },
        tls: [{ hosts: ["A_"] }],
        rules: [
          {
            host: "*.*.x",
            http: {
              paths: [
                { path: "x", pathType: "Exact", backend: {} },
                { pathType: "Z", backend: { service: { name: "s" } } },
              ],
            },
          },
          { host: "1.2.3.4" },
        ],
      },
    }),
  ],
  networkpolicies: [
    wrong("/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies", {
      metadata: { name: "n" },
      spec: {
        podSelector: { matchLabels: { "a b": "c" } },
        policyTypes: ["X", "Y", "Z"],
        ingress: [
          {
            ports: [
              { port: "A_", protocol: "X", endPort: 5 },
              { port: 80, endPort: 5 },
            ],
            from: [{}, { ipBlock: { cidr: "x", except: ["10.0.0.0/8"] }, podSelector: {} }],
          },
        ],
        egress: [{ to: [{ namespaceSelector: { matchExpressions: [{ key: "k", operator: "Z" }] } }] }],
      },
    }),
  ],
  poddisruptionbudgets: [
    wrong("/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", {
      metadata: { name: "p" },
      spec: {
        minAvailable: "101%",
        maxUnavailable: -1,
        unhealthyPodEvictionPolicy: "X",
        selector: { matchExpressions: [{ key: "", operator: "In", values: [] }] },
      },
    }),
  ],
  persistentvolumeclaims: [
    wrong("/api/v1/namespaces/{ns}/persistentvolumeclaims", {
      metadata: { name: "p" },
      spec: {
        accessModes: ["X", "ReadWriteOncePod", "ReadWriteOnce"],
        volumeMode: "X",
        storageClassName: "A_",
        resources: { requests: { storage: "-1" } },
        dataSource: { kind: "", name: "" },
        selector: { matchLabels: { "a b": "c" } },
        volumeAttributesClassName: "A_",
      },
    }),
  ],
  persistentvolumes: [
    wrong("/api/v1/persistentvolumes", {
      metadata: { name: "p" },
      spec: {
        accessModes: [],
        capacity: { storage: "0", cpu: "1" },
        persistentVolumeReclaimPolicy: "X",
        volumeMode: "X",
        hostPath: { path: "../x" },
        nfs: { server: "", path: "" },
        nodeAffinity: {},
        mountOptions: ["x"],
        claimRef: {},
      },
    }),
  ],
  "what cannot change": [
    post(`${here}/services`, { metadata: { name: "s" }, spec: { ports: [{ port: 1 }] } }, quiet),
    patch("merge", `${here}/services/s`, { spec: { type: "ExternalName" } }),
    post(
      "/apis/apps/v1/namespaces/{ns}/statefulsets",
      {
        metadata: { name: "x" },
        spec: {
          serviceName: "s",
          selector: { matchLabels: { a: "b" } },
          template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
        },
      },
      quiet,
    ),
    patch("merge", "/apis/apps/v1/namespaces/{ns}/statefulsets/x", {
      spec: { serviceName: "t", podManagementPolicy: "Parallel", selector: { matchLabels: { c: "d" } } },
    }),
    post(
      "/apis/batch/v1/namespaces/{ns}/jobs",
      {
        metadata: { name: "j" },
        spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
      },
      quiet,
    ),
    patch("merge", "/apis/batch/v1/namespaces/{ns}/jobs/j", {
      spec: {
        completions: 5,
        completionMode: "Indexed",
        template: { metadata: { labels: { z: "y" } } },
        podReplacementPolicy: "Failed",
        managedBy: "a.b/c",
      },
    }),
    post(
      `${here}/persistentvolumeclaims`,
      {
        metadata: { name: "p" },
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
      quiet,
    ),
    patch("merge", `${here}/persistentvolumeclaims/p`, {
      spec: { accessModes: ["ReadOnlyMany"], resources: { requests: { storage: "2Gi" } }, volumeName: "v" },
    }),
    patch("merge", `${here}/persistentvolumeclaims/p`, { spec: { resources: { requests: { storage: "1Mi" } } } }),
    post(`${here}/pods`, { metadata: { name: "p" }, spec: { containers: [{ name: "c", image: "i" }] } }, quiet),
    patch("merge", `${here}/pods/p`, {
      spec: { hostNetwork: true, nodeName: "n", terminationGracePeriodSeconds: 5, restartPolicy: "Never" },
    }),
    patch("strategic", `${here}/pods/p`, {
      spec: { containers: [{ name: "c", image: "j", env: [{ name: "a", value: "b" }] }] },
    }),
    patch("strategic", `${here}/pods/p`, { spec: { containers: [{ name: "d", image: "j" }] } }),
    post(`${here}/configmaps`, { metadata: { name: "i" }, immutable: true, data: { a: "b" } }, quiet),
    patch("merge", `${here}/configmaps/i`, { immutable: false, data: { a: "c" }, binaryData: { b: "eA==" } }),
    post(`${here}/secrets`, { metadata: { name: "i" }, immutable: true, stringData: { a: "b" } }, quiet),
    patch("merge", `${here}/secrets/i`, { immutable: null, type: "x", data: { a: "eA==" } }),
    post(
      `${rbac}/rolebindings`,
      { metadata: { name: "r" }, roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name: "x" } },
      quiet,
    ),
    patch("merge", `${rbac}/rolebindings/r`, { roleRef: { name: "y" } }),
    post(
      "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices",
      { metadata: { name: "e" }, addressType: "IPv4", endpoints: [] },
      quiet,
    ),
    patch("merge", "/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices/e", { addressType: "IPv6" }),
    patch("merge", `${here}/pods/p`, {
      metadata: {
        name: "q",
        namespace: "z",
        uid: "u",
        creationTimestamp: "2001-01-01T00:00:00Z",
        generation: 9,
        deletionTimestamp: "2001-01-01T00:00:00Z",
        deletionGracePeriodSeconds: 3,
      },
    }),
    patch("merge", `${here}/pods/p`, {
      metadata: { creationTimestamp: "2001-01-01T00:00:00Z", generation: 9, selfLink: "x", generateName: "g" },
    }),
  ],
});
