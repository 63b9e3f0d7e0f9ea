/** The certificates of a cluster: their Secrets and contents. */
import type { LeafInput } from "capstan/stateful/parts";

type LeafWish = Pick<LeafInput, "commonName" | "usages" | "names">;

export interface ClusterName {
  readonly name: string;
  readonly namespace: string;
  /** The cluster domain. */
  readonly domain?: string;
}

export interface SecretNames {
  readonly authority: string;
  readonly server: string;
  readonly peer: string;
  readonly client: string;
  readonly operator: string;
}

/** The Secrets of a cluster with managed certificates. */
export function secretNames({ name }: Pick<ClusterName, "name">): SecretNames {
  return {
    authority: `${name}-ca`,
    server: `${name}-server`,
    peer: `${name}-peer`,
    client: `${name}-client`,
    operator: `${name}-operator`,
  };
}

/** The certificate of each purpose. All members share one: their names are covered by a wildcard of the Service. */
export function leafWishes(
  cluster: ClusterName,
  more: readonly string[],
): { readonly [Purpose in Exclude<keyof SecretNames, "authority">]: LeafWish } {
  const { name } = cluster;
  const inside = [...loopback, ...serviceNames(name, cluster), ...memberNames(cluster)];
  return {
    // etcd's gRPC gateway connects to its own server with the server certificate, so it needs both usages.
    server: {
      commonName: `${name}-server`,
      usages: ["server", "client"],
      names: [...inside, ...serviceNames(`${name}-client`, cluster), ...more],
    },
    peer: { commonName: peerName(cluster), usages: ["server", "client"], names: inside },
    client: { commonName: `${name}-client`, usages: ["client"], names: [] },
    // With authentication on, etcd takes the common name as the user: the operator needs the role root.
    operator: { commonName: "root", usages: ["client"], names: [] },
  };
}

/** The common name of peer certificates. */
export function peerName({ name }: Pick<ClusterName, "name">): string {
  return `${name}-peer`;
}

/** The URL for clients. */
export function clientEndpoint({ name, namespace }: ClusterName): string {
  return `https://${name}-client.${namespace}.svc:2379`;
}

/** An example of a member's name, which provided certificates must cover. */
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
