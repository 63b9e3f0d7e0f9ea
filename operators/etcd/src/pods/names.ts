/** Names of a cluster's objects, and addresses of its members. */

/** Identity of a cluster, and whether it uses TLS. */
export interface ClusterAddress {
  readonly name: string;
  readonly namespace: string;
  readonly isSecure: boolean;
}

/** Label of all objects of a cluster. */
export const CLUSTER_LABEL = "etcd.capstan.dev/cluster";
/** Label of all objects of one member. */
export const MEMBER_LABEL = "etcd.capstan.dev/member";
/** uid of the cluster that an object belongs to: a later cluster with the same name has another. */
export const UID_LABEL = "etcd.capstan.dev/cluster-uid";
/** Label of pods that the client Service selects: members that vote and have data. A learner rejects the requests of clients. */
export const SERVES_LABEL = "etcd.capstan.dev/serves";
/** Label of an EtcdBackup that the operator created: the target version of the update, or the learner that is backed up. */
export const snapshotLabel = "etcd.capstan.dev/before-update";
export const BOOT_ANNOTATION = "etcd.capstan.dev/boot";
export const templateHashAnnotation = "etcd.capstan.dev/print";
export const VERSION_LABEL = "etcd.capstan.dev/version";
/** Hash of the certificate authorities that a member was started with. */
export const authorityAnnotation = "etcd.capstan.dev/trust";
/** Bootstrap flags of etcd, as annotations and not in the pod spec, so that they can be cleared. */
export const bootstrapAnnotationKeys = {
  "initial-cluster": "etcd.capstan.dev/initial-cluster",
  "initial-cluster-state": "etcd.capstan.dev/initial-cluster-state",
  "initial-cluster-token": "etcd.capstan.dev/initial-cluster-token",
} as const;

/** Whether a member compares its data with the others before it serves. An annotation, so that it can change. */
export const initialCheckAnnotation = "etcd.capstan.dev/initial-check";

export const CLIENT_PORT = 2379;
export const PEER_PORT = 2380;
export const METRICS_PORT = 2381;

/** Labels that select the objects of a cluster. */
export function clusterLabels(name: string): { readonly [label: string]: string } {
  return { "app.kubernetes.io/name": "etcd", "app.kubernetes.io/managed-by": "etcd-operator", [CLUSTER_LABEL]: name };
}

/** Labels of pods that clients reach. */
export const clientLabels = { [SERVES_LABEL]: "clients" } as const;

export function memberLabels(name: string, member: string): { readonly [label: string]: string } {
  return { ...clusterLabels(name), [MEMBER_LABEL]: member };
}

export function claimName(member: string): string {
  return `data-${member}`;
}

export function clientServiceName(name: string): string {
  return `${name}-client`;
}

/** The DNS name of a member. */
export function hostOf({ name, namespace }: ClusterAddress, member: string): string {
  return `${member}.${name}.${namespace}.svc`;
}

export function peerUrl(place: ClusterAddress, member: string): string {
  return `${schemeOf(place)}://${hostOf(place, member)}:${PEER_PORT}`;
}

export function clientUrl(place: ClusterAddress, member: string): string {
  return `${schemeOf(place)}://${hostOf(place, member)}:${CLIENT_PORT}`;
}

/** The URL for clients. */
export function serviceUrl(place: ClusterAddress): string {
  return `${schemeOf(place)}://${clientServiceName(place.name)}.${place.namespace}.svc:${CLIENT_PORT}`;
}

/** The member of a peer URL: the first label of its host. */
export function memberOfUrl(url: string): string {
  return new URL(url).hostname.split(".")[0] ?? "";
}

function schemeOf({ isSecure }: ClusterAddress): string {
  return isSecure ? "https" : "http";
}
