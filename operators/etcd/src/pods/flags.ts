/** The flags of a member. */
import type { Boot } from "../contract.ts";
import { minorOf } from "../decide/index.ts";
import { CLIENT_PORT, clientUrl, METRICS_PORT, PEER_PORT, peerUrl } from "./names.ts";
import type { bootstrapAnnotationKeys, ClusterAddress } from "./names.ts";

export const DATA_PATH = "/var/lib/etcd";
export const DATA_DIR = `${DATA_PATH}/data`;
export const TLS_PATH = "/etc/etcd/tls";

export type BootstrapInput = Pick<FlagInput, "place" | "member" | "boot" | "peers" | "token">;

export interface FlagInput {
  readonly place: ClusterAddress;
  /** Seed of the cluster id: different for every first member. */
  readonly token: string;
  readonly member: string;
  readonly boot: Boot;
  readonly version: string;
  /** The members that a new member joins. */
  readonly peers: readonly string[];
  readonly quota: number;
  readonly compaction: { readonly mode: "Periodic" | "Revision" | "Off"; readonly retention: string };
  readonly options: { readonly [flag: string]: string };
  /** The common name of peer certificates, if the operator issues them. */
  readonly peerName?: string;
}

export type BootstrapFlags = { readonly [flag in keyof typeof bootstrapAnnotationKeys]?: string };

/** Flags that can change for a running pod: the values, or references to variables. */
export interface FlagSource {
  readonly birth: BootstrapFlags;
  readonly initialCheck: string;
}

function flagSourceOf(input: FlagInput): FlagSource {
  return { birth: bootstrapFlagsOf(input), initialCheck: "true" };
}

/** `--name=value` for each flag, in a stable order. */
export function flagsOf(input: FlagInput, { birth, initialCheck }: FlagSource = flagSourceOf(input)): string[] {
  const { "feature-gates": gates, ...options } = input.options;
  const flags = {
    ...identityFlags(input),
    ...birth,
    ...(input.boot === "survive" ? { "force-new-cluster": "true" } : {}),
    ...(input.place.isSecure ? tlsFlags(input) : {}),
    ...compactionFlags(input),
    ...checkFlags(input.version, { gates, initialCheck }),
    "quota-backend-bytes": String(input.quota),
    ...options,
  };
  return Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
}

function identityFlags({ place, member }: FlagInput): { [flag: string]: string } {
  const scheme = place.isSecure ? "https" : "http";
  return {
    name: member,
    "data-dir": DATA_DIR,
    "listen-peer-urls": `${scheme}://0.0.0.0:${PEER_PORT}`,
    "listen-client-urls": `${scheme}://0.0.0.0:${CLIENT_PORT}`,
    "listen-metrics-urls": `http://0.0.0.0:${METRICS_PORT}`,
    "advertise-client-urls": clientUrl(place, member),
    "initial-advertise-peer-urls": peerUrl(place, member),
  };
}

/**
 * The bootstrap flags; etcd uses them only if its data directory is empty. A member with data is configured to join an existing cluster
 * without peers: with its data it continues, without data it fails, so it never votes without its data.
 */
export function bootstrapFlagsOf({ place, member, boot, peers, token }: BootstrapInput): BootstrapFlags {
  const alone = `${member}=${peerUrl(place, member)}`;
  switch (boot) {
    case "seed":
      return { "initial-cluster": alone, "initial-cluster-state": "new", "initial-cluster-token": token };
    case "join": {
      const all = [...new Set([...peers, member])].map((peer) => `${peer}=${peerUrl(place, peer)}`);
      return { "initial-cluster": all.join(","), "initial-cluster-state": "existing" };
    }
    case "seed-backup":
    case "live":
    case "survive":
      return { "initial-cluster": alone, "initial-cluster-state": "existing" };
  }
}

function tlsFlags({ version, peerName, options }: FlagInput): { [flag: string]: string } {
  const prefix = minorOf(version) < 6 ? "experimental-" : "";
  // The authority also signs client certificates, so the common name must be that of a peer. etcd accepts only one such rule.
  const isNamed = peerName !== undefined && !("peer-cert-allowed-hostname" in options);
  return {
    "cert-file": `${TLS_PATH}/server/tls.crt`,
    "key-file": `${TLS_PATH}/server/tls.key`,
    "trusted-ca-file": `${TLS_PATH}/server/ca.crt`,
    "client-cert-auth": "true",
    "peer-cert-file": `${TLS_PATH}/peer/tls.crt`,
    "peer-key-file": `${TLS_PATH}/peer/tls.key`,
    "peer-trusted-ca-file": `${TLS_PATH}/peer/ca.crt`,
    "peer-client-cert-auth": "true",
    ...(isNamed ? { "peer-cert-allowed-cn": peerName } : {}),
    // Reverse DNS of pod IPs does not work everywhere. The authority signs for this cluster only.
    [`${prefix}peer-skip-client-san-verification`]: "true",
  };
}

function compactionFlags({ compaction: { mode, retention } }: FlagInput): { [flag: string]: string } {
  if (mode === "Off") return {};
  return { "auto-compaction-mode": mode.toLowerCase(), "auto-compaction-retention": retention };
}

/** etcd compares the data of its members at the start and periodically. */
function checkFlags(
  version: string,
  { gates, initialCheck }: { readonly gates: string | undefined; readonly initialCheck: string },
): { [flag: string]: string } {
  if (minorOf(version) < 6) {
    return {
      "experimental-initial-corrupt-check": initialCheck,
      "experimental-corrupt-check-time": "1h",
      "experimental-compact-hash-check-enabled": "true",
    };
  }
  const own = [`InitialCorruptCheck=${initialCheck}`, "CompactHashCheck=true"];
  return { "corrupt-check-time": "1h", "feature-gates": [...own, ...(gates === undefined ? [] : [gates])].join(",") };
}
