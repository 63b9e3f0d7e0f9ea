/** The contents page of a cluster's nodes: containerd and kubelet for each, kube-proxy, CoreDNS and storage for all. */

import { mkdirSync, openSync, statfsSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { callApi } from "../api.ts";
import { programPath } from "../build.ts";
import { writeNodeCertificates } from "../certificates.ts";
import { flags, insideKubeconfig } from "../control-plane.ts";
import { KubernetesToolError } from "../errors.ts";
import { containerdProgram, corednsProgram, kubernetesProgram } from "../go-module.ts";
import type { Program } from "../go-module.ts";
import { buildTestImages } from "../images/test-images.ts";
import { readCredentials, writeKubeconfig } from "../kubeconfig.ts";
import type { Credentials } from "../kubeconfig.ts";
import { API_PORT, DNS_ADDRESS, apiServerAddress, nodeAddress } from "../network.ts";
import type { Release } from "../releases.ts";
import { inside, startService } from "../sandbox.ts";
import type { Sandbox } from "../sandbox.ts";
import { waitUntil } from "../wait.ts";
import { makeNodeCgroup } from "./cgroups.ts";
import {
  containerdConfig,
  containerdSocket,
  corefile,
  kubeProxyConfig,
  kubeletConfig,
  networkConfig,
} from "./configuration.ts";
import type { NodePlan } from "./configuration.ts";
import { INITIAL_OBJECTS } from "./objects.ts";

/** What nodes need beside the control plane's programs. */
export function nodePrograms(release: Release): Program[] {
  return [
    kubernetesProgram("kubelet", release.kubernetes),
    kubernetesProgram("kube-proxy", release.kubernetes),
    containerdProgram("containerd"),
    containerdProgram("containerd-shim-runc-v2"),
    containerdProgram("ctr"),
    corednsProgram(),
  ];
}

/** The plan of a cluster's nodes: node-1, node-2 and so on. */
export function planNodes(cluster: string, count: number): NodePlan[] {
  return Array.from({ length: count }, (_, index) => {
    const name = `node-${index + 1}`;
    const home = `/run/capstan/${name}`;
    return { name, address: nodeAddress(index + 1), folder: join(cluster, name), home, cluster };
  });
}

/** Starts the nodes of a running control plane and waits until all are ready. */
export async function startNodes(sandbox: Sandbox, release: Release, start: NodeStart): Promise<void> {
  const nodes = planNodes(sandbox.folder, start.count);
  const [pause] = await buildTestImages({ only: ["pause"] });
  writeClusterFiles(sandbox.folder, nodes);
  for (const { path, object } of INITIAL_OBJECTS) {
    await callApi(start.credentials, { method: "POST", path, body: object });
  }
  startService(sandbox, proxyService(sandbox.folder, release));
  startService(sandbox, dnsService(sandbox.folder));
  await Promise.all(
    nodes.map(async (node) => {
      await inside(sandbox, "mkdir", ["-p", node.home]);
      await inside(sandbox, "mount", ["--bind", node.folder, node.home]);
      await startContainerd(sandbox, node);
      if (pause) await importImage(sandbox, node, pause.archive);
    }),
  );
  // One after the other: every kubelet removes and makes the same socket for device plugins, and ends when another one comes between.
  for (const node of nodes) {
    startService(sandbox, kubeletService(node, release));
    await waitForNode(sandbox, node, start.credentials);
  }
}

/** Starts the programs of a prepared node and waits until it is ready. */
export async function startNode(
  sandbox: Sandbox,
  release: Release,
  { node, credentials }: { readonly node: NodePlan; readonly credentials: Credentials },
): Promise<void> {
  const since = await readHeartbeat(node, credentials);
  await startContainerd(sandbox, node);
  startService(sandbox, kubeletService(node, release));
  await waitUntil(sandbox, [`kubelet-${node.name}`], async () => (await readHeartbeat(node, credentials)) !== since);
  await waitForNode(sandbox, node, credentials);
}

async function readHeartbeat(node: NodePlan, credentials: Credentials): Promise<string | undefined> {
  const path = `/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/${node.name}`;
  const lease = (await callApi(credentials, { path })) as { spec: { renewTime?: string } };
  return lease.spec.renewTime;
}

/** How many nodes, and how the API server is reached. */
export interface NodeStart {
  readonly count: number;
  readonly credentials: Credentials;
}

/** Imports an image archive into a node. */
export async function importImage(sandbox: Sandbox, node: NodePlan, archive: string): Promise<void> {
  const ctr = programPath(containerdProgram("ctr"));
  const command = ["--address", containerdSocket(node), "--namespace", "k8s.io", "images", "import", "--local", "-"];
  try {
    await inside(sandbox, ctr, command, { file: openArchive(archive) });
  } catch (error) {
    if (!(error instanceof KubernetesToolError) || error.code !== "not-started") throw error;
    throw new KubernetesToolError(
      "bad-archive",
      `${archive} could not be imported, is it a tar of an OCI layout that names its image? ${error.message}`,
      { cause: error },
    );
  }
}

function openArchive(archive: string): number {
  try {
    return openSync(archive, "r");
  } catch (error) {
    throw new KubernetesToolError(
      "bad-archive",
      `${archive} cannot be read (${error instanceof Error ? error.message : String(error)}): give the path of an OCI archive`,
      { cause: error },
    );
  }
}

function writeClusterFiles(cluster: string, nodes: readonly NodePlan[]): void {
  mkdirSync(join(cluster, "cni"), { recursive: true });
  mkdirSync(join(cluster, "volumes"), { recursive: true });
  writeJson(join(cluster, "cni", "10-pods.conflist"), networkConfig(cluster));
  writeJson(join(cluster, "kube-proxy.json"), kubeProxyConfig(cluster, nodes));
  writeFileSync(join(cluster, "resolv.conf"), `nameserver ${DNS_ADDRESS}\n`);
  writeFileSync(join(cluster, "Corefile"), corefile(cluster));
  for (const node of nodes) writeNodeFiles(node);
}

function writeNodeFiles(node: NodePlan): void {
  mkdirSync(node.folder, { recursive: true });
  writeNodeCertificates(node.cluster, node, new Date());
  const credentials = readCredentials(node.cluster, node.name, `https://${apiServerAddress(0)}:${API_PORT}`);
  writeKubeconfig(insideKubeconfig(node.cluster, node.name), node.name, credentials);
  writeFileSync(join(node.folder, "containerd.toml"), containerdConfig(node, chooseSnapshotter(node.folder)));
  writeJson(join(node.folder, "kubelet.json"), kubeletConfig(node));
  makeNodeCgroup(node.cluster, node.name);
}

const OVERLAY_FILE_SYSTEM = 0x794c7630;

function chooseSnapshotter(folder: string): "overlayfs" | "native" {
  return statfsSync(folder).type === OVERLAY_FILE_SYSTEM ? "native" : "overlayfs";
}

/** containerd finds its shim beside itself on the PATH. */
async function startContainerd(sandbox: Sandbox, node: NodePlan): Promise<void> {
  const component = `containerd-${node.name}`;
  const program = programPath(containerdProgram("containerd"));
  const environment = { PATH: `${dirname(program)}:/usr/sbin:/usr/bin:/sbin:/bin` };
  startService(sandbox, {
    component,
    program,
    args: flags({ config: join(node.home, "containerd.toml") }),
    environment,
  });
  const ctr = programPath(containerdProgram("ctr"));
  await waitUntil(sandbox, [component], async () => {
    await inside(sandbox, ctr, ["--address", containerdSocket(node), "version"]);
    return true;
  });
}

function kubeletService(node: NodePlan, release: Release) {
  return {
    component: `kubelet-${node.name}`,
    program: programPath(kubernetesProgram("kubelet", release.kubernetes)),
    args: flags({
      config: join(node.home, "kubelet.json"),
      kubeconfig: insideKubeconfig(node.cluster, node.name),
      "root-dir": join(node.home, "kubelet"),
      "cert-dir": join(node.home, "certificates"),
      "hostname-override": node.name,
      "node-ip": node.address,
    }),
  };
}

function proxyService(cluster: string, release: Release) {
  return {
    component: "kube-proxy",
    program: programPath(kubernetesProgram("kube-proxy", release.kubernetes)),
    args: flags({ config: join(cluster, "kube-proxy.json") }),
  };
}

function dnsService(cluster: string) {
  return { component: "coredns", program: programPath(corednsProgram()), args: ["-conf", join(cluster, "Corefile")] };
}

async function waitForNode(sandbox: Sandbox, node: NodePlan, credentials: Credentials): Promise<void> {
  const needed = [`kubelet-${node.name}`, `containerd-${node.name}`, "kube-proxy", "coredns"];
  await waitUntil(sandbox, needed, async () => {
    const answer = await callApi(credentials, { path: `/api/v1/nodes/${node.name}` });
    const { status } = answer as { status: { conditions?: { type: string; status: string }[] } };
    return status.conditions?.some(({ type, status }) => type === "Ready" && status === "True") ?? false;
  });
}

function writeJson(path: string, value: object): void {
  writeFileSync(path, JSON.stringify(value, undefined, 2));
}
