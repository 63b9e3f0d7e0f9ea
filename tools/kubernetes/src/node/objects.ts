/** The objects that a cluster with nodes starts with: the name server's service and rights, and the default storage class. */

import { DNS_ADDRESS, DNS_SERVICE_ADDRESS } from "../network.ts";

/** The provisioner of local volumes, as storage classes name it. */
export const PROVISIONER = "capstan.test/local-path";

/** An object and the collection that it is created in. */
export interface InitialObject {
  readonly path: string;
  readonly object: object;
}

const DNS_PORTS = [
  { name: "dns", port: 53, protocol: "UDP" },
  { name: "dns-tcp", port: 53, protocol: "TCP" },
];
const RBAC = "rbac.authorization.k8s.io";

/** All initial objects. CoreDNS does not run as a pod, so its service has manual endpoints. */
export const INITIAL_OBJECTS: readonly InitialObject[] = [
  {
    path: `/apis/${RBAC}/v1/clusterroles`,
    object: {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRole",
      metadata: { name: "coredns" },
      rules: [
        {
          apiGroups: [""],
          resources: ["services", "pods", "namespaces", "endpoints", "nodes"],
          verbs: ["get", "list", "watch"],
        },
        { apiGroups: ["discovery.k8s.io"], resources: ["endpointslices"], verbs: ["list", "watch"] },
      ],
    },
  },
  {
    path: `/apis/${RBAC}/v1/clusterrolebindings`,
    object: {
      apiVersion: `${RBAC}/v1`,
      kind: "ClusterRoleBinding",
      metadata: { name: "coredns" },
      roleRef: { apiGroup: RBAC, kind: "ClusterRole", name: "coredns" },
      subjects: [{ apiGroup: RBAC, kind: "User", name: "coredns" }],
    },
  },
  {
    path: "/api/v1/namespaces/kube-system/services",
    object: {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "kube-dns", labels: { "k8s-app": "kube-dns" } },
      spec: { clusterIP: DNS_SERVICE_ADDRESS, ports: DNS_PORTS },
    },
  },
  {
    path: "/apis/discovery.k8s.io/v1/namespaces/kube-system/endpointslices",
    object: {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: { name: "kube-dns-outside", labels: { "kubernetes.io/service-name": "kube-dns" } },
      addressType: "IPv4",
      endpoints: [{ addresses: [DNS_ADDRESS], conditions: { ready: true } }],
      ports: DNS_PORTS,
    },
  },
  {
    path: "/apis/storage.k8s.io/v1/storageclasses",
    object: {
      apiVersion: "storage.k8s.io/v1",
      kind: "StorageClass",
      metadata: { name: "local-path", annotations: { "storageclass.kubernetes.io/is-default-class": "true" } },
      provisioner: PROVISIONER,
      reclaimPolicy: "Delete",
      volumeBindingMode: "WaitForFirstConsumer",
    },
  },
];
