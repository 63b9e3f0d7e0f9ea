/** The small files of every pod: `/etc/hosts`, `/etc/hostname` and `/etc/resolv.conf`. Pure. */
import type { PodDNSConfig } from "@capstan/kinds/v1";
import { NodeError } from "../errors.ts";
import type { BoundPod } from "../pod/containers.ts";

/** The DNS settings of the cluster. */
export interface ClusterNames {
  /** `cluster.local`. */
  readonly domain: string;
  /** The address of the DNS server. */
  readonly server: string;
}

/** Files of a node. */
export interface NodeFiles {
  /** The content of the node's `/etc/hosts`. */
  readonly hosts: string;
}

/** The longest host name that the kernel accepts. */
const longestName = 63;

/** The host name of a pod; fully qualified with `setHostnameAsFQDN`. */
export function hostnameOf(pod: BoundPod, domain: string): string {
  const { spec } = pod;
  if (spec.hostnameOverride !== undefined) return spec.hostnameOverride;
  const whole = spec.setHostnameAsFQDN === true ? fullNameOf(pod, domain) : undefined;
  if (whole === undefined) return shortName(pod);
  if (whole.length <= longestName) return whole;
  throw new NodeError(
    "FailedCreatePodSandBox",
    `failed to construct FQDN from pod hostname and cluster domain, FQDN ${whole} is too long (${longestName} characters is the max, ${whole.length} characters requested)`,
  );
}

function shortName({ metadata, spec }: BoundPod): string {
  const name = spec.hostname ?? metadata.name;
  return name.length <= longestName ? name : name.slice(0, longestName).replace(/[-.]+$/, "");
}

/** The fully qualified name of a pod with a subdomain. */
function fullNameOf(pod: BoundPod, domain: string): string | undefined {
  const { subdomain } = pod.spec;
  if (subdomain === undefined || subdomain === "") return undefined;
  return `${shortName(pod)}.${subdomain}.${pod.metadata.namespace}.svc.${domain}`;
}

const ownLines = [
  "127.0.0.1\tlocalhost",
  "::1\tlocalhost ip6-localhost ip6-loopback",
  "fe00::0\tip6-localnet",
  "fe00::0\tip6-mcastprefix",
  "fe00::1\tip6-allnodes",
  "fe00::2\tip6-allrouters",
];

/** The `/etc/hosts` of a node. */
export function nodeHostsFile(): string {
  return `${ownLines.join("\n")}\n`;
}

/** The content of `/etc/hosts`; pods in the host network have that of the node. */
export function hostsFile(pod: BoundPod, ips: readonly string[], { domain, hosts }: ClusterNames & NodeFiles): string {
  const aliases = (pod.spec.hostAliases ?? []).map(({ ip, hostnames = [] }) => `${ip}\t${hostnames.join("\t")}`);
  const added = aliases.length === 0 ? "" : `\n# Entries added by HostAliases.\n${aliases.join("\n")}\n`;
  if (pod.spec.hostNetwork === true) return `# Kubernetes-managed hosts file (host network).\n${hosts}${added}`;
  const fullName = fullNameOf(pod, domain);
  const name = pod.spec.hostnameOverride ?? shortName(pod);
  const names = fullName === undefined || pod.spec.hostnameOverride !== undefined ? name : `${fullName}\t${name}`;
  const own = ips.map((ip) => `${ip}\t${names}`);
  return `${["# Kubernetes-managed hosts file.", ...ownLines, ...own].join("\n")}\n${added}`;
}

/** The content of `/etc/resolv.conf`: the settings of the cluster, then those of the pod. */
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
