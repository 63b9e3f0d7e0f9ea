/** Objects of a cluster besides its members: Services, PodDisruptionBudget, claims. */
import type { ApplyOf } from "@capstan/model";
import type { PodDisruptionBudget } from "@capstan/kinds/policy/v1";
import type { PersistentVolumeClaim, Service } from "@capstan/kinds/v1";
import { clusterLabels, keysOf, memberLabels } from "./names.ts";
import type { Naming } from "./names.ts";

/** The names of members, published before they are ready: a replica must find its primary to become ready. */
export function membersService(naming: Naming, { cluster, port }: ServicePlace): ApplyOf<typeof Service> {
  const labels = clusterLabels(naming, cluster);
  return {
    metadata: { labels },
    spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports: [clientPort(port)] },
  };
}

/** Where a Service of a cluster is. */
export interface ServicePlace {
  readonly cluster: string;
  readonly port: number;
}

/** Clients reach ready members with a role; a member without its label gets no new connection. */
export function roleService(
  naming: Naming,
  { cluster, port, role }: ServicePlace & { readonly role: "primary" | "replica" },
): ApplyOf<typeof Service> {
  const labels = clusterLabels(naming, cluster);
  const selector = { ...labels, [keysOf(naming).serves]: role };
  return { metadata: { labels }, spec: { type: "ClusterIP", selector, ports: [clientPort(port)] } };
}

/** Evictions leave as many members as an acknowledged write needs. A single member can be evicted. */
export function disruptionBudget(naming: Naming, cluster: string): ApplyOf<typeof PodDisruptionBudget> {
  const labels = clusterLabels(naming, cluster);
  return { metadata: { labels }, spec: { maxUnavailable: 1, selector: { matchLabels: labels } } };
}

/** The volume of a member. */
export function volumeClaim(
  naming: Naming,
  { cluster, member, size, className, uid }: ClaimInput,
): ApplyOf<typeof PersistentVolumeClaim> {
  return {
    metadata: { labels: { ...memberLabels(naming, { cluster, member }), [keysOf(naming).uid]: uid } },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: size } },
      ...(className === undefined ? {} : { storageClassName: className }),
    },
  };
}

export interface ClaimInput {
  readonly cluster: string;
  readonly member: string;
  readonly uid: string;
  readonly size: string;
  readonly className?: string | undefined;
}

function clientPort(port: number) {
  return { name: "client", port, targetPort: port, protocol: "TCP" } as const;
}
