/** The life of a cluster: how it is started, inspected and stopped. */

import { existsSync, mkdirSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { Server } from "node:net";

import { askApi } from "./api.ts";
import { buildInit, buildPrograms } from "./build.ts";
import { writeCertificates } from "./certificates.ts";
import {
  apiServerName,
  apiServerService,
  controlPlanePrograms,
  controllerManagerService,
  etcdService,
  insideKubeconfig,
  schedulerService,
} from "./control-plane.ts";
import { KubernetesToolError } from "./errors.ts";
import { listenOnLoopback, listeningPort } from "./forward.ts";
import { startKeeper } from "./keeper.ts";
import { readCredentials, writeKubeconfig } from "./kubeconfig.ts";
import type { Credentials } from "./kubeconfig.ts";
import { takeLock } from "./lock.ts";
import { API_PORT, apiServerAddress } from "./network.ts";
import { endProcesses, findComponents, findNetworkNeighbours, findProcesses } from "./processes.ts";
import type { ClusterProcess } from "./processes.ts";
import { removeCgroups } from "./node/cgroups.ts";
import { importImage, nodePrograms, planNodes, startNodes } from "./node/node.ts";
import type { Progress } from "./progress.ts";
import { findRelease } from "./releases.ts";
import type { Release } from "./releases.ts";
import { findSandbox, startSandbox, startService } from "./sandbox.ts";
import type { Sandbox } from "./sandbox.ts";
import { clusterFolder, kubeconfigPath, listClusters, readState, writeState } from "./state.ts";
import type { ClusterState, Owner } from "./state.ts";
import { BASE_PACKAGES, NODE_PACKAGES, ensureSystemPackages } from "./system-packages.ts";
import { waitUntil } from "./wait.ts";

/** The cluster that is wanted. */
export interface ClusterOptions {
  readonly name: string;
  readonly version: string;
  /** How many nodes run pods; 0 is a control plane alone. */
  readonly nodes: number;
  /** How many kube-apiservers there are beside the first. */
  readonly peers: number;
  /** The port on 127.0.0.1 of the first API server; 0 takes any free one. */
  readonly port: number;
  /** Further flags of every kube-apiserver. */
  readonly apiServerFlags: readonly string[];
  /** The cluster is taken down when this process ends. */
  readonly owner?: Owner;
  /** Gives up the start and clears away what was made; its reason is the error. */
  readonly signal?: AbortSignal | undefined;
}

/** Starts a cluster. It first removes an incomplete one of that name, and a failed start cleans up. */
export async function startCluster(options: ClusterOptions, progress: Progress): Promise<ClusterState> {
  assertPossible();
  const release = findRelease(options.version);
  await using _lock = await takeLock(clusterFolder(options.name), { signal: options.signal });
  if (isRunning(options.name)) {
    throw new KubernetesToolError(
      "cluster-exists",
      `cluster ${options.name} is running already: use it, take it down with "down --name ${options.name}", or choose another --name`,
    );
  }
  return await startLocked(options, release, progress);
}

/** Gives the running cluster of that name, or puts it up; of many callers at the same time one does the work. */
export async function ensureCluster(options: ClusterOptions, progress: Progress): Promise<ClusterState> {
  assertPossible();
  const release = findRelease(options.version);
  await using _lock = await takeLock(clusterFolder(options.name), { signal: options.signal });
  const state = readState(options.name);
  return state && isRunning(options.name) ? state : await startLocked(options, release, progress);
}

/** Stops a cluster in any state; returns whether it existed. */
export async function stopCluster(name: string): Promise<boolean> {
  const folder = clusterFolder(name);
  await using _lock = await takeLock(folder);
  return await clear(folder);
}

/** Whether the cluster was completed and what holds it together is alive. */
export function isRunning(name: string): boolean {
  if (readState(name)?.phase !== "ready") return false;
  const alive = new Set(clusterProcesses(name).map(({ component }) => component));
  return alive.has("init") && alive.has("keeper");
}

/** The processes of a cluster, by component. */
export function clusterProcesses(name: string): ClusterProcess[] {
  return findComponents(clusterFolder(name));
}

/** The administrator's credentials for one of the API servers, as seen from this machine. */
export function adminCredentials(state: ClusterState, apiServer = 0): Credentials {
  return readCredentials(clusterFolder(state.name), "admin", `https://127.0.0.1:${state.ports[apiServer]}`);
}

/** Imports OCI archives into every node of a cluster. */
export async function loadImages(state: ClusterState, archives: readonly string[]): Promise<void> {
  const sandbox = runningSandbox(state.name);
  if (state.nodes === 0) {
    const advice = "put it up with --node";
    throw new KubernetesToolError("no-node", `cluster ${state.name} has no node to load images into: ${advice}`);
  }
  for (const archive of archives) {
    for (const node of planNodes(sandbox.folder, state.nodes)) await importImage(sandbox, node, archive);
  }
}

/** The namespaces of a cluster that must be running. */
export function runningSandbox(name: string): Sandbox {
  const sandbox = isRunning(name) ? findSandbox(clusterFolder(name)) : undefined;
  if (sandbox) return sandbox;
  const others = listClusters().filter(isRunning);
  const known = others.length > 0 ? `running are ${others.join(", ")}` : "none is running";
  throw new KubernetesToolError(
    "unknown-cluster",
    `cluster ${name} is not running (${known}): start it with "up --name ${name}"`,
  );
}

function assertPossible(): void {
  if (process.platform !== "linux") {
    throw new KubernetesToolError("no-linux", "a real Kubernetes needs Linux namespaces: run this on Linux");
  }
  if (process.getuid?.() !== 0) {
    throw new KubernetesToolError("no-root", "a real Kubernetes needs namespaces and mounts: run this as root");
  }
}

async function startLocked(options: ClusterOptions, release: Release, progress: Progress): Promise<ClusterState> {
  const folder = clusterFolder(options.name);
  await prepareMachine(release, options, progress);
  const init = await buildInit(progress);
  await clear(folder);
  const servers = await openPorts(options);
  const step = progress.step(`starting Kubernetes ${release.kubernetes}`);
  try {
    const state = describe(options, release, servers.map(listeningPort));
    writeState(state);
    const sandbox = await startSandbox(folder, init, options.signal);
    await startControlPlane(sandbox, state, { release, servers });
    if (options.nodes > 0) {
      await startNodes(sandbox, release, { count: options.nodes, credentials: adminCredentials(state) });
    }
    const ready: ClusterState = { ...state, phase: "ready" };
    writeState(ready);
    step.done("ready");
    return ready;
  } catch (error) {
    step.done("failed");
    for (const server of servers) server.close();
    await clear(folder);
    throw error;
  }
}

/** Builds and installs what a cluster needs; nothing of it has to be taken back. */
export async function prepareMachine(
  release: Release,
  { nodes, signal }: Pick<ClusterOptions, "nodes" | "signal">,
  progress: Progress,
): Promise<void> {
  await ensureSystemPackages(nodes > 0 ? [...BASE_PACKAGES, ...NODE_PACKAGES] : BASE_PACKAGES, (line) =>
    progress.note(line),
  );
  await buildPrograms(controlPlanePrograms(release), progress, signal);
  if (nodes > 0) await buildPrograms(nodePrograms(release), progress, signal);
}

function describe(options: ClusterOptions, release: Release, ports: readonly number[]): ClusterState {
  const { name, nodes, apiServerFlags, owner } = options;
  const version = release.kubernetes;
  return { name, version, phase: "starting", ports, nodes, apiServerFlags, ...(owner && { owner }) };
}

async function openPorts({ port, peers }: ClusterOptions): Promise<Server[]> {
  const first = await listenOnLoopback(port);
  const others = Array.from({ length: peers }, () => listenOnLoopback(0));
  return [first, ...(await Promise.all(others))];
}

interface Start {
  readonly release: Release;
  readonly servers: readonly Server[];
}

async function startControlPlane(sandbox: Sandbox, state: ClusterState, start: Start): Promise<void> {
  const { folder } = sandbox;
  const { release, servers } = start;
  const indexes = servers.map((_, index) => index);
  writeCertificates(folder, new Date());
  writeKubeconfigs(folder, state);
  startService(sandbox, etcdService(folder, release));
  for (const index of indexes) startApiServer(sandbox, state, index);
  const targets = indexes.map((index) => ({ host: apiServerAddress(index), port: API_PORT }));
  const { name, owner, nodes } = state;
  await startKeeper(sandbox, servers, { name, targets, withNodes: nodes > 0, ...(owner && { owner }) });
  await Promise.all(indexes.map((index) => waitForApiServer(sandbox, state, index)));
  startService(sandbox, controllerManagerService(folder, release));
  startService(sandbox, schedulerService(folder, release));
  await waitForDefaultNamespace(sandbox, state);
}

/** Starts one of the API servers. */
export function startApiServer(sandbox: Sandbox, state: ClusterState, index: number): void {
  const server = { index, flags: state.apiServerFlags };
  startService(sandbox, apiServerService(sandbox.folder, findRelease(state.version), server));
}

function writeKubeconfigs(folder: string, state: ClusterState): void {
  mkdirSync(join(folder, "kubeconfigs"), { recursive: true });
  const inside = `https://${apiServerAddress(0)}:${API_PORT}`;
  for (const user of ["admin", "controller-manager", "scheduler", "proxy", "coredns"]) {
    writeKubeconfig(insideKubeconfig(folder, user), user, readCredentials(folder, user, inside));
  }
  writeKubeconfig(kubeconfigPath(state.name), "admin", adminCredentials(state));
}

/** Waits until an API server is ready. */
export async function waitForApiServer(sandbox: Sandbox, state: ClusterState, index: number): Promise<void> {
  const credentials = adminCredentials(state, index);
  await waitUntil(sandbox, [apiServerName(index), "etcd"], async () => {
    const answer = await askApi(credentials, { path: "/readyz" });
    return answer.status === 200;
  });
}

/** Pods can be created once the controller manager has created the default service account. */
async function waitForDefaultNamespace(sandbox: Sandbox, state: ClusterState): Promise<void> {
  const credentials = adminCredentials(state);
  await waitUntil(sandbox, ["kube-controller-manager", "kube-scheduler"], async () => {
    const answer = await askApi(credentials, { path: "/api/v1/namespaces/default/serviceaccounts/default" });
    return answer.status === 200;
  });
}

/** Ends all processes of a cluster and removes its files. The end of the first process ends everything in its namespaces. */
async function clear(folder: string): Promise<boolean> {
  const sandbox = findSandbox(folder);
  const marked = findProcesses(folder).map(({ pid }) => pid);
  const neighbours = sandbox ? findNetworkNeighbours(sandbox.init) : [];
  await endProcesses([...new Set([...marked, ...neighbours])]);
  const existed = marked.length > 0 || existsSync(folder);
  await removeCgroups(folder);
  await rm(folder, { recursive: true, force: true });
  return existed;
}
