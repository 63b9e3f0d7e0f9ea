/** The real Kubernetes of the tests: build it, start it, share it, and the images that run on it. */
export { askApi, callApi } from "./api.ts";
export type { ApiAnswer, ApiRequest } from "./api.ts";
export { buildPrograms, programPath, readModuleFile } from "./build.ts";
export { prepareMachine, startCluster, stopCluster } from "./cluster.ts";
export type { ClusterOptions } from "./cluster.ts";
export {
  cloudNativePg,
  conformancePrograms,
  mirrorOperator,
  etcdToolPrograms,
  helmProgram,
  olmPrograms,
  opmProgram,
  kubernetesProgram,
} from "./go-module.ts";
export type { GoModule, Program } from "./go-module.ts";
export { KubernetesToolError } from "./errors.ts";
export type { KubernetesToolErrorCode } from "./errors.ts";
export {
  COMMON_CONFORMANCE_IMAGES,
  areConformanceProgramsBuilt,
  buildConformanceImages,
} from "./images/conformance-images.ts";
export { TEST_IMAGES, buildNodeImage, buildTestImages } from "./images/test-images.ts";
export type { TestImage } from "./images/test-images.ts";
export type { Credentials } from "./kubeconfig.ts";
export { showProgress } from "./progress.ts";
export type { Progress } from "./progress.ts";
export { DEFAULT_RELEASE, ETCD_VERSIONS, findRelease } from "./releases.ts";
export type { Release } from "./releases.ts";
export { ensureSystemPackages } from "./system-packages.ts";
export { kubernetesMissing, stopSharedClusters, useKubernetes } from "./use-kubernetes.ts";
export type { TestCluster, TestScope, UseKubernetesOptions } from "./use-kubernetes.ts";
