/** The control groups of a cluster's nodes, in whichever version this machine has them. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

const ROOT = "/sys/fs/cgroup";

/** The control group of a node as kubelet names it. It comes from the cluster's folder, so no two clusters meet. */
export function nodeCgroup(folder: string, node: string): string {
  return `/${clusterCgroup(folder)}/${node}`;
}

/** Creates the cgroups of a node with the controllers that kubelet requires. */
export function makeNodeCgroup(folder: string, node: string): void {
  const group = nodeCgroup(folder, node);
  if (isUnified()) return makeUnified(group);
  for (const hierarchy of hierarchies()) {
    mkdirSync(join(hierarchy, group), { recursive: true });
    if (existsSync(join(hierarchy, "cpuset.cpus"))) inheritCpuset(hierarchy, group);
  }
}

/** All processes in the groups of a node: those of its containers. */
export function cgroupProcesses(folder: string, node: string): number[] {
  const group = nodeCgroup(folder, node);
  const roots = (isUnified() ? [ROOT] : hierarchies()).map((hierarchy) => join(hierarchy, group));
  return [...new Set(roots.flatMap(processesBelow))];
}

/** Groups come and go while they are read; one that is gone has no processes. */
function processesBelow(path: string): number[] {
  try {
    const own = readFileSync(join(path, "cgroup.procs"), "utf8").split("\n").filter(Boolean).map(Number);
    const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
    return [...own, ...folders.flatMap((entry) => processesBelow(join(path, entry.name)))];
  } catch {
    return [];
  }
}

/** Removes the cluster's groups; the kernel needs a moment until the dead have left them. */
export async function removeCgroups(folder: string): Promise<void> {
  const group = clusterCgroup(folder);
  const deadline = performance.now() + 10_000;
  for (const hierarchy of isUnified() ? [ROOT] : hierarchies()) {
    while (!removeGroup(join(hierarchy, group)) && performance.now() < deadline) await delay(20);
  }
}

function clusterCgroup(folder: string): string {
  return `capstan-${createHash("sha256").update(folder).digest("hex").slice(0, 12)}`;
}

function isUnified(): boolean {
  return existsSync(join(ROOT, "cgroup.controllers"));
}

function hierarchies(): string[] {
  if (!existsSync(ROOT)) return [];
  const folders = readdirSync(ROOT, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map((entry) => join(ROOT, entry.name)).filter((path) => existsSync(join(path, "cgroup.procs")));
}

/** In the unified version a group has only the controllers that its parent hands down. */
function makeUnified(group: string): void {
  const parts = group.split("/").filter(Boolean);
  let path = ROOT;
  for (const part of parts) {
    const controllers = readFileSync(join(path, "cgroup.controllers"), "utf8").trim().split(" ").filter(Boolean);
    writeFileSync(join(path, "cgroup.subtree_control"), controllers.map((name) => `+${name}`).join(" "));
    path = join(path, part);
    mkdirSync(path, { recursive: true });
  }
}

/** In the old version a new cpuset is empty and takes no process until it is filled, from the top down. */
function inheritCpuset(hierarchy: string, group: string): void {
  for (const file of ["cpuset.cpus", "cpuset.mems"]) {
    const value = readFileSync(join(hierarchy, file), "utf8");
    let path = hierarchy;
    for (const part of group.split("/").filter(Boolean)) {
      path = join(path, part);
      writeFileSync(join(path, file), value);
    }
  }
}

/** Removes a cgroup and those below it, deepest first; false when processes remain. */
function removeGroup(path: string): boolean {
  if (!existsSync(path)) return true;
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (entry.isDirectory() && !removeGroup(join(path, entry.name))) return false;
    }
    rmdirSync(path);
    return true;
  } catch {
    return !existsSync(path);
  }
}
