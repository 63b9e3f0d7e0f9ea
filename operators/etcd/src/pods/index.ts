/** The objects that a cluster is made of, as pure functions. */
export { clientService, disruptionBudget, peerService, volumeClaim } from "./base.ts";
export { REFERRED } from "./birth.ts";
export { DATA_DIR, DATA_PATH } from "./flags.ts";
export { digestForm, FORM_ANNOTATION, formatForm, formName, withForm } from "./good-form.ts";
export {
  BIRTH_ANNOTATIONS,
  BOOT_ANNOTATION,
  CHECK_ANNOTATION,
  claimName,
  CLIENT_PORT,
  clientServiceName,
  CLUSTER_LABEL,
  clusterLabels,
  hostOf,
  MEMBER_LABEL,
  memberOfUrl,
  peerUrl,
  PRINT_ANNOTATION,
  serviceUrl,
  TRUST_ANNOTATION,
  GUARD_LABEL,
  UID_LABEL,
  VERSION_LABEL,
} from "./names.ts";
export type { Place } from "./names.ts";
export { bootAnnotations, buildPod, imageOf, printOf, TLS_VOLUMES, tokenOf } from "./pod.ts";
export type { ClusterSpec, Form, SeedParts } from "./pod.ts";
export { PROFILES, quotaOf, toBytes } from "./profile.ts";
