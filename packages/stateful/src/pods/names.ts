/** Names, labels and addresses of a cluster's objects. */

/** The words that an application puts into names and labels. */
export interface Naming {
  /** The API group: prefix of labels. */
  readonly group: string;
  /** The application's name. */
  readonly application: string;
}

/** Keys of labels and annotations. */
export interface Keys {
  readonly cluster: string;
  readonly member: string;
  /** Found by Services: `primary` or `replica`. */
  readonly serves: string;
  readonly boot: string;
  readonly startRole: string;
  readonly template: string;
  readonly version: string;
  readonly uid: string;
  readonly seed: string;
}

export function keysOf({ group }: Naming): Keys {
  const key = (name: string): string => `${group}/${name}`;
  return {
    cluster: key("cluster"),
    member: key("member"),
    serves: key("role"),
    boot: key("boot"),
    startRole: key("start-role"),
    template: key("template"),
    version: key("version"),
    uid: key("cluster-uid"),
    seed: key("seed"),
  };
}

/** Labels of all objects of a cluster. */
export function clusterLabels(naming: Naming, cluster: string): { readonly [label: string]: string } {
  return {
    "app.kubernetes.io/name": naming.application,
    "app.kubernetes.io/instance": cluster,
    "app.kubernetes.io/managed-by": `${naming.application}-operator`,
    [keysOf(naming).cluster]: cluster,
  };
}

export function memberLabels(
  naming: Naming,
  { cluster, member }: { readonly cluster: string; readonly member: string },
): { readonly [label: string]: string } {
  return { ...clusterLabels(naming, cluster), [keysOf(naming).member]: member };
}

export function claimName(member: string): string {
  return `data-${member}`;
}

/** Serial number of a member: the last part of its name. */
export function serialOf(member: string): number {
  return Number(member.slice(member.lastIndexOf("-") + 1));
}

/** The Secret with the passwords of the operator's accounts. */
export function accountsSecretName(cluster: string): string {
  return `${cluster}-accounts`;
}

/** The headless Service that gives members their names. */
export function membersServiceName(cluster: string): string {
  return `${cluster}-members`;
}

/** The Service of clients that write. */
export function primaryServiceName(cluster: string): string {
  return cluster;
}

/** The Service of clients that only read. */
export function replicasServiceName(cluster: string): string {
  return `${cluster}-replicas`;
}

/** The DNS name of a member. */
export function hostOf(place: { readonly cluster: string; readonly namespace: string }, member: string): string {
  return `${member}.${membersServiceName(place.cluster)}.${place.namespace}.svc`;
}
