/** The network of a cluster with real pods, for programs on this machine. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Socket } from "node:net";
import type { Machine } from "@capstan/node";
import { DNS_SERVER_ADDRESS } from "./dns-service.ts";

/** A network that can be entered. */
export interface ClusterNetwork {
  /** A process in this network namespace. */
  readonly pid: number;
  /** The path of the resolv.conf with the cluster's DNS server. */
  readonly resolvConf: string;
  /** The command line that runs a command in this network, with cluster DNS and the files of this machine. */
  enter(argv: readonly string[]): readonly string[];
  /** Connects to an address of a pod, a service or a node. */
  dial(host: string, port: number): Promise<Socket>;
  /** Runs a short command in the network namespace of the nodes. */
  run: Machine["run"];
}

/** The options of a network. */
export interface NetworkOptions {
  readonly machine: Machine;
  readonly state: string;
}

/** Short names resolve in the namespace `default`. */
const RESOLV_CONF = `search default.svc.cluster.local svc.cluster.local cluster.local
nameserver ${DNS_SERVER_ADDRESS}
options ndots:5
`;

/** The network of a machine. */
export async function createNetwork({ machine, state }: NetworkOptions): Promise<ClusterNetwork> {
  const resolvConf = join(state, "resolv.conf");
  await writeFile(resolvConf, RESOLV_CONF);
  const pid = machine.pid ?? 0;
  return {
    pid,
    resolvConf,
    enter: (argv) => enterNetwork({ pid, resolvConf }, argv),
    dial: (host, port) => machine.dial(host, port),
    run: (argv, input) => machine.run(argv, input),
  };
}

/** A process in the network namespace, and the resolv.conf to use. */
export interface NetworkEntry {
  readonly pid: number;
  readonly resolvConf: string;
}

/**
 * The command line that runs a command in the network namespace of a process. The command sees the files of this machine, except
 * `/etc/resolv.conf`, which a private mount namespace covers. It has the caller's rights over the namespaces and no others.
 */
export function enterNetwork({ pid, resolvConf }: NetworkEntry, argv: readonly string[]): readonly string[] {
  const enter = ["nsenter", "--target", String(pid), "--user", "--net", "--preserve-credentials", "--"];
  const cover = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
  // `capstan` is the shell's name in error messages.
  return [...enter, "unshare", "--mount", "--", "sh", "-c", cover, "capstan", resolvConf, ...argv];
}
