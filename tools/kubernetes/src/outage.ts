/** Outages of a cluster: components crash or lose their network, and recover on request. */

import { apiServerName, controllerManagerService, etcdService, schedulerService } from "./control-plane.ts";
import { adminCredentials, runningSandbox, startApiServer, waitForApiServer } from "./cluster.ts";
import { KubernetesToolError } from "./errors.ts";
import { cgroupProcesses } from "./node/cgroups.ts";
import { planNodes, startNode } from "./node/node.ts";
import type { NodePlan } from "./node/configuration.ts";
import { endProcesses, findProcesses } from "./processes.ts";
import { findRelease } from "./releases.ts";
import { inside, startService } from "./sandbox.ts";
import { clusterFolder } from "./state.ts";
import type { ClusterState } from "./state.ts";

/** Kills one of the API servers; clients see their connections end. */
export async function killApiServer(state: ClusterState, index: number): Promise<void> {
  await killComponents(state, [apiServerName(index)]);
}

/** Starts an API server again that was killed, and waits until it is ready. */
export async function restartApiServer(state: ClusterState, index: number): Promise<void> {
  const sandbox = runningSandbox(state.name);
  startApiServer(sandbox, state, index);
  await waitForApiServer(sandbox, state, index);
}

/** Takes the power of a node: kubelet, containerd and every container on it are gone at once. */
export async function killNode(state: ClusterState, name: string): Promise<void> {
  const { cluster } = findNode(state, name);
  await killComponents(state, nodeComponents(name));
  await endProcesses(cgroupProcesses(cluster, name));
}

/** Gives a node its power back, and waits until it is ready. */
export async function restartNode(state: ClusterState, name: string): Promise<void> {
  const sandbox = runningSandbox(state.name);
  await startNode(sandbox, findRelease(state.version), {
    node: findNode(state, name),
    credentials: adminCredentials(state),
  });
}

/** Takes the power of everything: all nodes and the control plane. */
export async function killEverything(state: ClusterState): Promise<void> {
  const nodes = nodesOf(state);
  const servers = state.ports.map((_, index) => apiServerName(index));
  const plane = [...servers, "etcd", "kube-controller-manager", "kube-scheduler"];
  await killComponents(state, [...plane, ...nodes.flatMap(({ name }) => nodeComponents(name))]);
  await endProcesses(nodes.flatMap(({ cluster, name }) => cgroupProcesses(cluster, name)));
}

/** Starts everything again that was killed, and waits until it is ready. */
export async function restartEverything(state: ClusterState): Promise<void> {
  const sandbox = runningSandbox(state.name);
  const release = findRelease(state.version);
  startService(sandbox, etcdService(sandbox.folder, release));
  for (const index of state.ports.keys()) await restartApiServer(state, index);
  startService(sandbox, controllerManagerService(sandbox.folder, release));
  startService(sandbox, schedulerService(sandbox.folder, release));
  await Promise.all(nodesOf(state).map(({ name }) => restartNode(state, name)));
}

/** Lets only these addresses of pods lose their lines; their own node still reaches them, so that they are not taken for ill. */
export async function cutPods(state: ClusterState, addresses: readonly string[]): Promise<void> {
  await inside(runningSandbox(state.name), "nft", ["-f", "-"], cutRules(addresses));
}

/** The rules that drop packets from and to addresses; they replace those of an earlier cut. */
export function cutRules(addresses: readonly string[]): string {
  const table = "table ip capstan-cut";
  const these = `{ ${addresses.join(", ")} }`;
  const rules = [
    `${table} {`,
    "  chain forward { type filter hook forward priority -10; policy accept;",
    `    ip saddr ${these} drop`,
    `    ip daddr ${these} drop`,
    "  }",
    "  chain input { type filter hook input priority -10; policy accept;",
    // Replies to requests of the node pass.
    `    ip saddr ${these} ct direction original drop`,
    "  }",
    "}",
  ];
  return [`add ${table}`, `delete ${table}`, ...(addresses.length === 0 ? [] : rules), ""].join("\n");
}

async function killComponents({ name }: ClusterState, components: readonly string[]): Promise<void> {
  const processes = findProcesses(clusterFolder(name)).filter(({ component }) => components.includes(component));
  await endProcesses(processes.map(({ pid }) => pid));
}

function nodeComponents(name: string): string[] {
  return [`kubelet-${name}`, `containerd-${name}`];
}

function nodesOf(state: ClusterState): NodePlan[] {
  return planNodes(clusterFolder(state.name), state.nodes);
}

function findNode(state: ClusterState, name: string): NodePlan {
  const nodes = nodesOf(state);
  const found = nodes.find((node) => node.name === name);
  if (found) return found;
  const known = nodes.map((node) => node.name).join(", ");
  throw new KubernetesToolError("no-node", `cluster ${state.name} has no node ${name}: there are ${known}`);
}
