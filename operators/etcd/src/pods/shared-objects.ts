/** Objects of a cluster besides its members: Services, PodDisruptionBudget, volumes. */
import type { ApplyOf } from "capstan";
import type { PodDisruptionBudget } from "capstan/kinds/policy/v1";
import type { PersistentVolumeClaim, Service } from "capstan/kinds/v1";
import { quorumOf } from "../decide/index.ts";
import { CLIENT_PORT, clientLabels, clusterLabels, memberLabels, METRICS_PORT, PEER_PORT } from "./names.ts";
import type { ClusterSpec } from "./pod.ts";

/** DNS names of the members, published before they are ready: members must find each other to become ready. */
export function peerService(name: string): ApplyOf<typeof Service> {
  const labels = clusterLabels(name);
  const ports = [
    servicePort("client", CLIENT_PORT),
    servicePort("peer", PEER_PORT),
    servicePort("metrics", METRICS_PORT),
  ];
  return { metadata: { labels }, spec: { clusterIP: "None", publishNotReadyAddresses: true, selector: labels, ports } };
}

/** The Service for clients: ready members, and with `votersOnly` only those that have the label. */
export function clientService(
  name: string,
  { type, annotations, votersOnly }: ClusterSpec["clientService"] & { readonly votersOnly: boolean },
): ApplyOf<typeof Service> {
  const labels = clusterLabels(name);
  const selector = votersOnly ? { ...labels, ...clientLabels } : labels;
  return {
    metadata: { labels, ...(Object.keys(annotations).length === 0 ? {} : { annotations }) },
    spec: { type, selector, ports: [servicePort("client", CLIENT_PORT)] },
  };
}

/** Evictions must leave a quorum. */
export function disruptionBudget(name: string, size: number): ApplyOf<typeof PodDisruptionBudget> {
  const labels = clusterLabels(name);
  return { metadata: { labels }, spec: { minAvailable: quorumOf(size), selector: { matchLabels: labels } } };
}

export function volumeClaim(
  name: string,
  member: string,
  { bytes, className }: { readonly bytes: string; readonly className?: string },
): ApplyOf<typeof PersistentVolumeClaim> {
  return {
    metadata: { labels: memberLabels(name, member) },
    spec: {
      accessModes: ["ReadWriteOnce"],
      resources: { requests: { storage: bytes } },
      ...(className === undefined ? {} : { storageClassName: className }),
    },
  };
}

function servicePort(name: string, port: number) {
  return { name, port, targetPort: port, protocol: "TCP" } as const;
}
