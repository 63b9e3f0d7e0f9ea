/** What a cluster could leave on a machine, in a form that two moments can be compared by. */

import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { join } from "node:path";

import { nodeCgroup } from "../src/node/cgroups.ts";

/** Everything that is looked at. */
export interface Traces {
  readonly mounts: readonly string[];
  readonly interfaces: readonly string[];
  readonly cgroups: readonly string[];
  readonly settings: readonly string[];
  readonly fixedPlaces: readonly string[];
  readonly files: readonly string[];
  readonly processes: readonly string[];
}

/** Looks at the machine; files, processes and control groups are those of clusters in the given state folder. */
export function findTraces(stateFolder: string, names: readonly string[] = []): Traces {
  const groups = names.map((name) => nodeCgroup(join(stateFolder, name), ""));
  return {
    mounts: readFileSync("/proc/self/mounts", "utf8").split("\n").sort(),
    interfaces: [...readdirSync("/sys/class/net"), ...Object.keys(networkInterfaces())].sort(),
    cgroups: listCgroups("/sys/fs/cgroup", 0).filter((path) => groups.some((group) => `${path}/`.includes(group))),
    settings: ["vm/overcommit_memory", "kernel/panic", "kernel/panic_on_oops", "net/ipv4/ip_forward"].map(
      (name) => `${name}=${readFileSync(`/proc/sys/${name}`, "utf8").trim()}`,
    ),
    fixedPlaces: ["/run/containerd", "/run/netns", "/var/lib/cni", "/var/lib/kubelet", "/var/log/pods"].filter((path) =>
      existsSync(path),
    ),
    files: existsSync(stateFolder) ? readdirSync(stateFolder, { recursive: true }).map(String) : [],
    processes: markedProcesses(stateFolder),
  };
}

/** The network namespaces that processes of this machine are in. */
export function networkNamespaces(): Set<string> {
  return new Set(
    pids().flatMap((pid) => {
      try {
        return [readlinkSync(`/proc/${pid}/ns/net`)];
      } catch {
        return [];
      }
    }),
  );
}

function markedProcesses(stateFolder: string): string[] {
  return pids().filter((pid) => {
    try {
      const text = readFileSync(`/proc/${pid}/environ`, "utf8") + readFileSync(`/proc/${pid}/cmdline`, "utf8");
      return pid !== String(process.pid) && text.includes(`CAPSTAN_KUBERNETES_PROCESS=${stateFolder}`);
    } catch {
      return false;
    }
  });
}

function pids(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function listCgroups(folder: string, depth: number): string[] {
  if (depth > 2 || !existsSync(folder)) return [];
  const below = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return below.flatMap(({ name }) => [`${folder}/${name}`, ...listCgroups(`${folder}/${name}`, depth + 1)]);
}
