/** The small files that every pod has: its hosts, its name, and whom it asks for names. Pure. */
import type { PodDNSConfig } from "@capstan/kinds/v1";
import type { BoundPod } from "../pod/containers.ts";

/** The names of the cluster. */
export interface ClusterNames {
  /** `cluster.local`. */
  readonly domain: string;
  /** The address of the server for names. */
  readonly server: string;
}

/** The host name of a pod. */
export function hostnameOf({ metadata, spec }: BoundPod): string {
  return (spec.hostnameOverride ?? spec.hostname ?? metadata.name).slice(0, 63);
}

/** The whole name of a pod with a subdomain. */
function fullNameOf(pod: BoundPod, domain: string): string | undefined {
  const { subdomain } = pod.spec;
  if (subdomain === undefined || subdomain === "") return undefined;
  return `${hostnameOf(pod)}.${subdomain}.${pod.metadata.namespace}.svc.${domain}`;
}

/** The content of `/etc/hosts`. */
export function hostsFile(pod: BoundPod, ips: readonly string[], { domain }: ClusterNames): string {
  const fullName = fullNameOf(pod, domain);
  const names = fullName === undefined ? hostnameOf(pod) : `${fullName}\t${hostnameOf(pod)}`;
  const aliases = (pod.spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}`);
  return [
    "# Kubernetes-managed hosts file.",
    "127.0.0.1\tlocalhost",
    "::1\tlocalhost ip6-localhost ip6-loopback",
    "fe00::0\tip6-localnet",
    "fe00::0\tip6-mcastprefix",
    "fe00::1\tip6-allnodes",
    "fe00::2\tip6-allrouters",
    ...ips.map((ip) => `${ip}\t${names}`),
    ...(aliases.length === 0 ? [] : ["", "# Entries added by HostAliases.", ...aliases]),
    "",
  ].join("\n");
}

/** The content of `/etc/resolv.conf`: what the cluster says, then what the pod adds. */
export function resolvFile(pod: BoundPod, { domain, server }: ClusterNames): string {
  const { dnsPolicy = "ClusterFirst", dnsConfig = {}, hostNetwork } = pod.spec;
  const isCluster = dnsPolicy === "ClusterFirstWithHostNet" || (dnsPolicy === "ClusterFirst" && hostNetwork !== true);
  const own = isCluster ? [`${pod.metadata.namespace}.svc.${domain}`, `svc.${domain}`, domain] : [];
  const searches = [...new Set([...own, ...(dnsConfig.searches ?? [])])];
  const servers = new Set([...(dnsPolicy === "None" ? [] : [server]), ...(dnsConfig.nameservers ?? [])]);
  const options = optionsOf(isCluster, dnsConfig);
  return [
    ...(searches.length === 0 ? [] : [`search ${searches.join(" ")}`]),
    ...[...servers].map((one) => `nameserver ${one}`),
    ...(options.length === 0 ? [] : [`options ${options.join(" ")}`]),
    "",
  ].join("\n");
}

function optionsOf(isCluster: boolean, { options = [] }: PodDNSConfig): readonly string[] {
  const all = new Map(isCluster ? [["ndots", "5"]] : []);
  for (const { name = "", value = "" } of options) all.set(name, value);
  return [...all].map(([name, value]) => (value === "" ? name : `${name}:${value}`));
}
