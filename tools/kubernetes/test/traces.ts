/** What a cluster could leave on a machine, in a form that two moments can be compared by. */

import { existsSync, readFileSync, readdirSync, readlinkSync } from "node:fs";
import type { Dirent } from "node:fs";
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
    processes: clusterProcesses(stateFolder, groups),
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

/** Programs of a cluster carry its mark; containers do not, but are in its control groups. */
function clusterProcesses(stateFolder: string, groups: readonly string[]): string[] {
  const mark = `CAPSTAN_KUBERNETES_PROCESS=${stateFolder}`;
  return pids().filter((pid) => {
    try {
      if (readFileSync(`/proc/${pid}/environ`, "utf8").includes(mark)) return true;
      const cgroups = readFileSync(`/proc/${pid}/cgroup`, "utf8");
      return groups.some((group) => cgroups.includes(group));
    } catch {
      return false;
    }
  });
}

/** The command lines of the containers that run in a cluster of the state folder. */
export function containerCommands(stateFolder: string, name: string): string[] {
  const group = nodeCgroup(join(stateFolder, name), "");
  return clusterProcesses(stateFolder, [group]).flatMap((pid) => {
    try {
      const inGroup = readFileSync(`/proc/${pid}/cgroup`, "utf8").includes(group);
      return inGroup ? [readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ").trim()] : [];
    } catch {
      // Helpers of the cluster's programs come and go.
      return [];
    }
  });
}

function pids(): string[] {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function listCgroups(folder: string, depth: number): string[] {
  if (depth > 2) return [];
  const below = entriesOf(folder).filter((entry) => entry.isDirectory());
  return below.flatMap(({ name }) => [`${folder}/${name}`, ...listCgroups(`${folder}/${name}`, depth + 1)]);
}

/** Nothing where the folder is gone by now: groups of others come and go. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}
