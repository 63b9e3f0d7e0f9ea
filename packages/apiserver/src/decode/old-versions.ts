/** Versions that the real server still knows by name, though it serves them no more: bodies of them are of the wrong version, not of an unknown kind. */

const old: Readonly<Record<string, readonly string[]>> = {
  "apps/v1beta1": ["ControllerRevision", "Deployment", "StatefulSet"],
  "apps/v1beta2": ["ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"],
  "extensions/v1beta1": ["DaemonSet", "Deployment", "Ingress", "NetworkPolicy", "ReplicaSet"],
  "batch/v1beta1": ["CronJob"],
  "policy/v1beta1": ["Eviction", "PodDisruptionBudget"],
  "networking.k8s.io/v1beta1": ["IPAddress", "Ingress", "IngressClass", "ServiceCIDR"],
  "rbac.authorization.k8s.io/v1alpha1": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
  "rbac.authorization.k8s.io/v1beta1": ["ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"],
  "storage.k8s.io/v1beta1": ["CSIDriver", "CSINode", "CSIStorageCapacity", "StorageClass", "VolumeAttachment"],
  "autoscaling/v2beta1": ["HorizontalPodAutoscaler"],
  "autoscaling/v2beta2": ["HorizontalPodAutoscaler"],
  "admissionregistration.k8s.io/v1beta1": ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"],
  "coordination.k8s.io/v1beta1": ["Lease"],
  "events.k8s.io/v1beta1": ["Event"],
  "discovery.k8s.io/v1beta1": ["EndpointSlice"],
  "scheduling.k8s.io/v1beta1": ["PriorityClass"],
  "certificates.k8s.io/v1beta1": ["CertificateSigningRequest"],
  "node.k8s.io/v1beta1": ["RuntimeClass"],
  "resource.k8s.io/v1beta1": ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
  "resource.k8s.io/v1beta2": ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"],
};

/** Whether the kind was served at the version once. */
export function isOldVersion(apiVersion: string, kind: string): boolean {
  return old[apiVersion]?.includes(kind) === true;
}
