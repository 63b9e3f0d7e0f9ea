/** More objects with many errors at once: limits, permissions, classes and the smaller groups. */
import { defineTopic, post, type Step } from "../../case.ts";
import type { Part } from "../explored/widget.ts";

const wrong = (path: string, object: Part): Step => post(`${path}?dryRun=All`, object);

export const otherWrongTours = defineTopic("tour-other-wrongs", {
  resourcequotas: [
    wrong("/api/v1/namespaces/{ns}/resourcequotas", {
      metadata: { name: "r" },
      spec: {
        hard: { nope: "1" },
        scopes: ["X", "Terminating", "NotTerminating"],
        scopeSelector: {
          matchExpressions: [
            { scopeName: "PriorityClass", operator: "In" },
            { scopeName: "Z", operator: "Q" },
          ],
        },
      },
    }),
  ],
  limitranges: [
    wrong("/api/v1/namespaces/{ns}/limitranges", {
      metadata: { name: "l" },
      spec: {
        limits: [
          {
            type: "Container",
            min: { cpu: "2" },
            max: { cpu: "1" },
            default: { cpu: "3" },
            defaultRequest: { cpu: "4" },
            maxLimitRequestRatio: { cpu: "0.5" },
          },
          { type: "Container" },
          { type: "Pod", default: { cpu: "1" } },
          { type: "x y" },
          { type: "PersistentVolumeClaim" },
        ],
      },
    }),
  ],
  roles: [
    wrong("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", {
      metadata: { name: "r/x" },
      rules: [
        { verbs: [], apiGroups: [], resources: [] },
        { verbs: ["get"], nonResourceURLs: ["/x"] },
        { verbs: ["get"], apiGroups: [""], resources: ["pods"], nonResourceURLs: ["/x"] },
      ],
    }),
  ],
  rolebindings: [
    wrong("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/rolebindings", {
      metadata: { name: "r" },
      roleRef: { apiGroup: "x", kind: "Y", name: "" },
      subjects: [
        { kind: "User", name: "", apiGroup: "x" },
        { kind: "ServiceAccount", name: "A_", namespace: "" },
        { kind: "Z", name: "z" },
      ],
    }),
  ],
  priorityclasses: [
    wrong("/apis/scheduling.k8s.io/v1/priorityclasses", {
      metadata: { name: "system-x" },
      value: 2000000000,
      preemptionPolicy: "X",
    }),
  ],
  storageclasses: [
    wrong("/apis/storage.k8s.io/v1/storageclasses", {
      metadata: { name: "s" },
      provisioner: "",
      reclaimPolicy: "X",
      volumeBindingMode: "Y",
      parameters: { "": "x" },
      allowedTopologies: [{ matchLabelExpressions: [{ key: "", values: [] }] }],
    }),
  ],
  leases: [
    wrong("/apis/coordination.k8s.io/v1/namespaces/{ns}/leases", {
      metadata: { name: "l" },
      spec: { leaseDurationSeconds: 0, leaseTransitions: -1, holderIdentity: "", strategy: "X", preferredHolder: "a" },
    }),
  ],
  endpointslices: [
    wrong("/apis/discovery.k8s.io/v1/namespaces/{ns}/endpointslices", {
      metadata: { name: "e" },
      addressType: "IPv4",
      endpoints: [
        { addresses: [], hostname: "A_" },
        { addresses: ["x", "10.0.0.1", "10.0.0.1"], nodeName: "A_", deprecatedTopology: { "a b": "c" } },
      ],
      ports: [
        { name: "A", protocol: "X" },
        { name: "A", port: 0 },
      ],
    }),
  ],
  certificatesigningrequests: [
    wrong("/apis/certificates.k8s.io/v1/certificatesigningrequests", {
      metadata: { name: "c" },
      spec: { request: "eA==", signerName: "x", usages: ["bad", "bad"], expirationSeconds: 5 },
    }),
  ],
  events: [
    wrong("/api/v1/namespaces/{ns}/events", {
      metadata: { name: "e" },
      involvedObject: { namespace: "other" },
      type: "x",
      eventTime: "2020-01-01T00:00:00Z",
      reportingComponent: "x y",
      action: "",
      series: { count: 1 },
    }),
  ],
  secrets: [
    wrong("/api/v1/namespaces/{ns}/secrets", {
      metadata: { name: "s" },
      type: "kubernetes.io/tls",
      data: { "a b": "eA==", "tls.crt": "eA==" },
      immutable: true,
    }),
  ],
  serviceaccounts: [
    wrong("/api/v1/namespaces/{ns}/serviceaccounts", {
      metadata: { name: "A" },
      secrets: [{ name: "" }],
      imagePullSecrets: [{ name: "" }],
    }),
  ],
  nodes: [
    wrong("/api/v1/nodes", {
      metadata: { name: "n_" },
      spec: {
        podCIDR: "x",
        podCIDRs: ["y"],
        taints: [
          { key: "", effect: "X" },
          { key: "a", effect: "NoSchedule" },
          { key: "a", effect: "NoSchedule" },
        ],
        externalID: "x",
        providerID: "z",
      },
      status: { capacity: { cpu: "-1" }, addresses: [{ type: "X", address: "y" }] },
    }),
  ],
  runtimeclasses: [
    wrong("/apis/node.k8s.io/v1/runtimeclasses", {
      metadata: { name: "r" },
      handler: "A_",
      overhead: { podFixed: { cpu: "-1" } },
      scheduling: { nodeSelector: { "a b": "c" }, tolerations: [{ operator: "X" }] },
    }),
  ],
  ingressclasses: [
    wrong("/apis/networking.k8s.io/v1/ingressclasses", {
      metadata: { name: "i" },
      spec: { controller: "x y", parameters: { kind: "", name: "", scope: "Z", namespace: "n" } },
    }),
  ],
  apiservices: [
    wrong("/apis/apiregistration.k8s.io/v1/apiservices", {
      metadata: { name: "v1.x" },
      spec: {
        group: "y",
        version: "V",
        groupPriorityMinimum: 0,
        versionPriority: 5000,
        insecureSkipTLSVerify: true,
        caBundle: "eA==",
        service: { name: "", namespace: "", port: 0 },
      },
    }),
  ],
  flowschemas: [
    wrong("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas", {
      metadata: { name: "f" },
      spec: {
        matchingPrecedence: 0,
        priorityLevelConfiguration: { name: "" },
        distinguisherMethod: { type: "X" },
        rules: [{ subjects: [], resourceRules: [{ verbs: [], apiGroups: [], resources: [] }] }],
      },
    }),
  ],
  prioritylevelconfigurations: [
    wrong("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations", {
      metadata: { name: "f" },
      spec: {
        type: "Limited",
        exempt: {},
        limited: {
          nominalConcurrencyShares: -1,
          lendablePercent: 101,
          borrowingLimitPercent: -1,
          limitResponse: { type: "Queue", queuing: { queues: 0, handSize: 0, queueLengthLimit: 0 } },
        },
      },
    }),
  ],
});
