/** The real Kubernetes of the tests: build it, start it, share it, and the images that run on it. */
export { askApi, callApi } from "./api.ts";
export type { ApiAnswer, ApiRequest } from "./api.ts";
export { ensureCluster, startCluster, stopCluster } from "./cluster.ts";
export type { ClusterOptions } from "./cluster.ts";
export { KubernetesToolError } from "./errors.ts";
export type { KubernetesToolErrorCode } from "./errors.ts";
export type { Credentials } from "./kubeconfig.ts";
export { kubernetesMissing, stopSharedClusters, useKubernetes } from "./use-kubernetes.ts";
export type { TestCluster, TestScope, UseKubernetesOptions } from "./use-kubernetes.ts";
