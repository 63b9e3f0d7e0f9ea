/** The admission plugins that are on by default, in the order of kube-apiserver. */
import type { AdmissionStep } from "./admission.ts";
import { persistentVolumeClaimResize } from "./claim-resize.ts";
import { defaultIngressClass, defaultStorageClass } from "./default-class.ts";
import { defaultTolerationSeconds } from "./default-toleration-seconds.ts";
import { limitRanger } from "./limit-ranger.ts";
import { namespaceLifecycle } from "./namespace-lifecycle.ts";
import { nodeRestriction } from "./node-restriction/node-restriction.ts";
import { podResizeValidator } from "./pod-resize.ts";
import { podSecurity } from "./pod-security/pod-security.ts";
import { podTopologyLabels } from "./pod-topology-labels.ts";
import { mutatingPolicies } from "./policy/mutating.ts";
import { validatingPolicies } from "./policy/validating.ts";
import { priority } from "./priority.ts";
import { resourceQuota } from "./quota/resource-quota.ts";
import { runtimeClass } from "./runtime-class.ts";
import { serviceAccount } from "./service-account.ts";
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from "./signers.ts";
import { storageObjectInUseProtection } from "./storage-protection.ts";
import { mutatingWebhooks } from "./webhook/mutating.ts";
import { validatingWebhooks } from "./webhook/validating.ts";
import { taintNodesByCondition } from "./taint-nodes.ts";

export const admissionSteps: readonly AdmissionStep[] = [
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  nodeRestriction,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
  certificateSubjectRestriction,
  defaultIngressClass,
  podTopologyLabels,
  podResizeValidator,
  mutatingPolicies,
  mutatingWebhooks,
  validatingPolicies,
  validatingWebhooks,
  resourceQuota,
];

/** The same for a server without controllers, where no controller creates the service accounts of pods. */
export const bareAdmissionSteps: readonly AdmissionStep[] = admissionSteps.filter((step) => step !== serviceAccount);
