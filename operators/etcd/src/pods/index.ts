/** The objects of a cluster, as pure functions. */
export { clientService, disruptionBudget, peerService, volumeClaim } from "./shared-objects.ts";
export { referencedFlags } from "./bootstrap-flags.ts";
export { DATA_DIR, DATA_PATH } from "./flags.ts";
export {
  digestTemplate,
  templateAnnotation,
  formatTemplate,
  lastGoodTemplateName,
  withTemplate,
} from "./last-good-template.ts";
export {
  bootstrapAnnotationKeys,
  BOOT_ANNOTATION,
  initialCheckAnnotation,
  claimName,
  CLIENT_PORT,
  clientLabels,
  clientServiceName,
  CLUSTER_LABEL,
  clusterLabels,
  hostOf,
  MEMBER_LABEL,
  memberOfUrl,
  peerUrl,
  templateHashAnnotation,
  serviceUrl,
  SERVES_LABEL,
  authorityAnnotation,
  snapshotLabel,
  UID_LABEL,
  VERSION_LABEL,
} from "./names.ts";
export type { ClusterAddress } from "./names.ts";
export { bootAnnotations, buildPod, imageOf, templateHashOf, TLS_VOLUMES, tokenOf } from "./pod.ts";
export type { ClusterSpec, PodTemplateInput, SeedParts } from "./pod.ts";
export { PROFILES, quotaOf, toBytes } from "./profile.ts";
