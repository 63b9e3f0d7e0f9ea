/** The network of a cluster with real pods, for programs of this machine that want to be in it. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Socket } from "node:net";
import type { Machine } from "@capstan/node";
import { DNS_SERVER_ADDRESS } from "./dns-service.ts";

/** A network that can be entered. */
export interface ClusterNetwork {
  /** A process whose network it is. */
  readonly pid: number;
  /** The file that says whom to ask for names in it. */
  readonly resolvConf: string;
  /** The command line that runs a command in this network, with the names of the cluster and the files of this machine. */
  enter(argv: readonly string[]): readonly string[];
  /** A connection to an address of a pod, a service or a node. */
  dial(host: string, port: number): Promise<Socket>;
  /** Runs a short command among the nodes. */
  run: Machine["run"];
}

/** What a network is made from. */
export interface NetworkOptions {
  readonly machine: Machine;
  readonly state: string;
}

/** The names that a program in the network asks for are those of the namespace `default`. */
const RESOLV_CONF = `search default.svc.cluster.local svc.cluster.local cluster.local
nameserver ${DNS_SERVER_ADDRESS}
options ndots:5
`;

/** The way into the network of a machine. */
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

/** A way in: a process that is there, and the file that says whom to ask for names. */
export interface NetworkEntry {
  readonly pid: number;
  readonly resolvConf: string;
}

/**
 * The command line that runs a command in the network of a process. It keeps the files of this machine, but for `/etc/resolv.conf`, which is
 * covered in a mount namespace of its own. It has the rights that its caller has over the namespaces, and no more outside of them.
 */
export function enterNetwork({ pid, resolvConf }: NetworkEntry, argv: readonly string[]): readonly string[] {
  const enter = ["nsenter", "--target", String(pid), "--user", "--net", "--preserve-credentials", "--"];
  const cover = 'mount --bind "$1" /etc/resolv.conf && shift && exec "$@"';
  // What goes wrong is told under this name.
  return [...enter, "unshare", "--mount", "--", "sh", "-c", cover, "capstan", resolvConf, ...argv];
}
