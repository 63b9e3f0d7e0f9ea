/** Which certificates a cluster has, in which Secrets, and what they say. */
import type { LeafWish } from "./leaf.ts";

/** Which cluster. */
export interface ClusterName {
  readonly name: string;
  readonly namespace: string;
  /** The domain of cluster names. */
  readonly domain?: string;
}

/** The names of a cluster's Secrets. */
export interface SecretNames {
  readonly authority: string;
  readonly server: string;
  readonly peer: string;
  readonly client: string;
  readonly operator: string;
}

/** The Secrets of a cluster that manages its own certificates. */
export function secretNames({ name }: Pick<ClusterName, "name">): SecretNames {
  return {
    authority: `${name}-ca`,
    server: `${name}-server`,
    peer: `${name}-peer`,
    client: `${name}-client`,
    operator: `${name}-operator`,
  };
}

/** The certificate of each purpose. One serves all members: their names have the service's in common. */
export function leafWishes(
  cluster: ClusterName,
  more: readonly string[],
): { readonly [Purpose in Exclude<keyof SecretNames, "authority">]: LeafWish } {
  const { name } = cluster;
  const inside = [...loopback, ...serviceNames(name, cluster), ...memberNames(cluster)];
  return {
    // etcd's own gateway calls its server with the server's certificate: it has to be good at both ends.
    server: {
      commonName: `${name}-server`,
      usages: ["server", "client"],
      names: [...inside, ...serviceNames(`${name}-client`, cluster), ...more],
    },
    peer: { commonName: peerName(cluster), usages: ["server", "client"], names: inside },
    client: { commonName: `${name}-client`, usages: ["client"], names: [] },
    // With authentication on, etcd takes the common name for the user: the operator must be able to do everything.
    operator: { commonName: "root", usages: ["client"], names: [] },
  };
}

/** Whom members take for one of them. */
export function peerName({ name }: Pick<ClusterName, "name">): string {
  return `${name}-peer`;
}

/** Where clients find the cluster. */
export function clientEndpoint({ name, namespace }: ClusterName): string {
  return `https://${name}-client.${namespace}.svc:2379`;
}

/** A name as every member has it: given certificates must stand for it. */
export function exampleMember({ name, namespace }: ClusterName): string {
  return `m.${name}.${namespace}.svc`;
}

const loopback = ["localhost", "127.0.0.1", "::1"];

function serviceNames(service: string, { namespace, domain = "cluster.local" }: ClusterName): string[] {
  const short = `${service}.${namespace}`;
  return [service, short, `${short}.svc`, `${short}.svc.${domain}`];
}

function memberNames({ name, namespace, domain = "cluster.local" }: ClusterName): string[] {
  return [`*.${name}.${namespace}.svc`, `*.${name}.${namespace}.svc.${domain}`];
}
