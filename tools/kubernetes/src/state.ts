/** The recorded state of a cluster, for other processes. */

import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { clustersFolder } from "./paths.ts";

/** The process for which a cluster is kept; the cluster ends with it. */
export interface Owner {
  readonly pid: number;
  readonly born: string;
}

/** The options and addresses of a cluster. */
export interface ClusterState {
  readonly name: string;
  readonly version: string;
  readonly phase: "starting" | "ready";
  /** Ports of 127.0.0.1, one for each API server. */
  readonly ports: readonly number[];
  readonly nodes: number;
  readonly apiServerFlags: readonly string[];
  readonly owner?: Owner;
}

/** The folder of a cluster. */
export function clusterFolder(name: string): string {
  return join(clustersFolder(), name);
}

/** The kubeconfig that works on this machine, outside the cluster's namespaces. */
export function kubeconfigPath(name: string): string {
  return join(clusterFolder(name), "kubeconfig");
}

/** Reads the state of a cluster; undefined if it does not exist. */
export function readState(name: string): ClusterState | undefined {
  try {
    return JSON.parse(readFileSync(join(clusterFolder(name), "state.json"), "utf8")) as ClusterState;
  } catch {
    return undefined;
  }
}

/** Writes the state whole or not at all. */
export function writeState(state: ClusterState): void {
  const path = join(clusterFolder(state.name), "state.json");
  mkdirSync(clusterFolder(state.name), { recursive: true });
  writeFileSync(`${path}.new`, JSON.stringify(state, undefined, 2));
  renameSync(`${path}.new`, path);
}

/** The names of all clusters that have a folder, half-made ones too. */
export function listClusters(): string[] {
  try {
    return readdirSync(clustersFolder(), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
      .sort();
  } catch {
    return [];
  }
}
