/** The names of a cluster's parts, and how its members are reached. */

/** Which cluster, and how it is to be reached. */
export interface ClusterAddress {
  readonly name: string;
  readonly namespace: string;
  readonly isSecure: boolean;
}

/** On everything that belongs to a cluster. */
export const CLUSTER_LABEL = "etcd.capstan.dev/cluster";
/** On everything that belongs to one member. */
export const MEMBER_LABEL = "etcd.capstan.dev/member";
/** Which very cluster something belongs to: a cluster of the same name that came later has another. */
export const UID_LABEL = "etcd.capstan.dev/cluster-uid";
/** On an EtcdBackup that the operator asked for: the version that members go to, or whose data it saves. */
export const snapshotLabel = "etcd.capstan.dev/before-update";
export const BOOT_ANNOTATION = "etcd.capstan.dev/boot";
export const templateHashAnnotation = "etcd.capstan.dev/print";
export const VERSION_LABEL = "etcd.capstan.dev/version";
/** The trust with which a member was started. */
export const authorityAnnotation = "etcd.capstan.dev/trust";
/** How a member is to begin if it finds no data, by the flags of etcd: on the pod and not in its spec, so that it can be taken back. */
export const bootstrapAnnotationKeys = {
  "initial-cluster": "etcd.capstan.dev/initial-cluster",
  "initial-cluster-state": "etcd.capstan.dev/initial-cluster-state",
  "initial-cluster-token": "etcd.capstan.dev/initial-cluster-token",
} as const;

/** Whether a member compares its data with that of the others before it serves: on the pod, so that it can be told otherwise. */
export const initialCheckAnnotation = "etcd.capstan.dev/initial-check";

export const CLIENT_PORT = 2379;
export const PEER_PORT = 2380;
export const METRICS_PORT = 2381;

/** Labels by which a cluster's parts are found. */
export function clusterLabels(name: string): { readonly [label: string]: string } {
  return { "app.kubernetes.io/name": "etcd", "app.kubernetes.io/managed-by": "etcd-operator", [CLUSTER_LABEL]: name };
}

/** The labels of one member's parts. */
export function memberLabels(name: string, member: string): { readonly [label: string]: string } {
  return { ...clusterLabels(name), [MEMBER_LABEL]: member };
}

export function claimName(member: string): string {
  return `data-${member}`;
}

export function clientServiceName(name: string): string {
  return `${name}-client`;
}

/** The name of a member in the cluster's DNS. */
export function hostOf({ name, namespace }: ClusterAddress, member: string): string {
  return `${member}.${name}.${namespace}.svc`;
}

export function peerUrl(place: ClusterAddress, member: string): string {
  return `${schemeOf(place)}://${hostOf(place, member)}:${PEER_PORT}`;
}

export function clientUrl(place: ClusterAddress, member: string): string {
  return `${schemeOf(place)}://${hostOf(place, member)}:${CLIENT_PORT}`;
}

/** Where clients connect. */
export function serviceUrl(place: ClusterAddress): string {
  return `${schemeOf(place)}://${clientServiceName(place.name)}.${place.namespace}.svc:${CLIENT_PORT}`;
}

/** The member that a peer address belongs to: its host begins with the name. */
export function memberOfUrl(url: string): string {
  return new URL(url).hostname.split(".")[0] ?? "";
}

function schemeOf({ isSecure }: ClusterAddress): string {
  return isSecure ? "https" : "http";
}
