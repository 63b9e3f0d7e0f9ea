/** A real Kubernetes, as a cluster for stories. */
import type { TestContext } from "node:test";
import { fileURLToPath } from "node:url";
import { buildTestImages, useKubernetes } from "@capstan/kubernetes";
import type { TestCluster } from "@capstan/kubernetes";
import type { Breakage } from "./breakage.ts";
import type { Ground, GroundParts } from "./ground.ts";
import { runInside, startInside } from "./inside.ts";
import type { Enter } from "./inside.ts";
import { openKube } from "./kube.ts";
import type { KubeObject } from "./kube.ts";

export async function startKubernetes(test: TestContext, parts: GroundParts): Promise<Ground> {
  const { folder, isBreakable } = parts;
  const cluster = await useKubernetes(test, isBreakable ? { nodes: 3, own: true } : { node: true });
  const built = await buildTestImages({ only: parts.images });
  await cluster.load([...built.map(({ archive }) => archive), ...parts.archives]);
  const { kubeconfig, namespace, name } = cluster;
  const socket = await startInside(test, (argv) => toolLine("exec", "--name", name, "--", ...argv), folder);
  return { name: "kubernetes", kubeconfig, namespace, socket, folder, breakage: breakageOf(cluster) };
}

/** The command line of the tool that runs the cluster. */
function toolLine(...words: readonly string[]): string[] {
  const tool = fileURLToPath(import.meta.resolve("@capstan/kubernetes")).replace("index.ts", "main.ts");
  return [process.execPath, "--conditions=@capstan/source", tool, ...words];
}

/** A pod that is cut off, by address, and the address that its kubelet probes it from. */
interface CutLine {
  readonly pod: string;
  readonly kubelet: string;
}

function breakageOf(cluster: TestCluster): Breakage {
  const enter: Enter = (argv) => toolLine("exec", "--name", cluster.name, "--", ...argv);
  const cuts = new Map<string, readonly CutLine[]>();
  const cut = async (key: string, addresses: readonly string[]): Promise<void> => {
    const lines = addresses.map(async (pod) => ({ pod, kubelet: await sourceOf(enter, pod) }));
    cuts.set(key, await Promise.all(lines));
    await enforce(enter, [...cuts.values()].flat());
  };
  const mend = async (keys: readonly string[]): Promise<void> => {
    for (const key of keys) cuts.delete(key);
    await enforce(enter, [...cuts.values()].flat());
  };
  const signal = async (component: string, name: NodeJS.Signals): Promise<void> =>
    void process.kill(await pidOf(cluster.name, component), name);
  return {
    cut: async (pods) => {
      const addresses = await addressesOf(cluster, ({ metadata }) => pods.includes(metadata.name));
      if (addresses.length < pods.length) throw new Error(`not all of ${pods.join(", ")} have an address yet`);
      await cut("pods", addresses);
    },
    heal: () => mend([...cuts.keys()]),
    loseNode: async (node, how) => {
      if (how === "killed") return await cluster.killNode(node);
      await signal(`kubelet-${node}`, "SIGSTOP");
      await cut(node, await addressesOf(cluster, ({ spec }) => spec.nodeName === node));
    },
    returnNode: async (node, how) => {
      if (how === "killed") return await cluster.restartNode(node);
      await mend([node]);
      await signal(`kubelet-${node}`, "SIGCONT");
    },
    ...controlPlane(cluster, signal),
    folderOf: ({ local }) => local?.path ?? "",
  };
}

function controlPlane(
  cluster: TestCluster,
  signal: (component: string, name: NodeJS.Signals) => Promise<void>,
): Pick<Breakage, "startApiServer" | "stopApiServer"> {
  let isFrozen = false;
  return {
    stopApiServer: async (how) => {
      isFrozen = how === "frozen";
      if (isFrozen) await signal("kube-apiserver", "SIGSTOP");
      else await cluster.killApiServer(0);
    },
    startApiServer: async () => {
      if (isFrozen) await signal("kube-apiserver", "SIGCONT");
      else await cluster.restartApiServer(0);
    },
  };
}

interface PodSeen extends KubeObject {
  readonly spec: { readonly nodeName?: string };
  readonly status?: { readonly podIP?: string };
}

async function addressesOf(cluster: TestCluster, isMeant: (pod: PodSeen) => boolean): Promise<readonly string[]> {
  const kube = await openKube(cluster.kubeconfig);
  const pods = (await kube.list(`/api/v1/namespaces/${cluster.namespace}/pods`)) as readonly PodSeen[];
  return pods.filter(isMeant).flatMap(({ status }) => status?.podIP ?? []);
}

/** The source address of this machine's connections to a pod. */
async function sourceOf(enter: Enter, pod: string): Promise<string> {
  const route = await runInside(enter, ["ip", "-oneline", "route", "get", pod]);
  return /\bsrc (\S+)/u.exec(route)?.[1] ?? pod;
}

const TABLE = "ip story-cuts";

/** Installs all cuts at once: a pod sends and receives nothing but the probes of its kubelet and the responses. */
async function enforce(enter: Enter, cuts: readonly CutLine[]): Promise<void> {
  const leaving = cuts.flatMap(({ pod, kubelet }) => [
    `ip saddr ${pod} drop`,
    `ip daddr ${pod} ip saddr != { ${[...new Set([pod, kubelet])].join(", ")} } drop`,
  ]);
  const arriving = cuts.map(({ pod }) => `ip saddr ${pod} ct direction original drop`);
  const rules = [
    `add table ${TABLE}`,
    `delete table ${TABLE}`,
    `table ${TABLE} {`,
    "chain leave { type filter hook postrouting priority 90;",
    ...leaving,
    "}",
    "chain arrive { type filter hook input priority -10;",
    ...arriving,
    "}",
    "}",
  ];
  await runInside(enter, ["nft", rules.join("\n")]);
}

/** The tool finds the processes of components by their marks. */
async function pidOf(name: string, component: string): Promise<number> {
  const status = await runInside((argv) => argv, toolLine("status", "--name", name));
  const found = new RegExp(String.raw`^\s+${component}\s+pid (\d+)$`, "mu").exec(status)?.[1];
  if (found === undefined) throw new Error(`${component} of ${name} does not run:\n${status}`);
  return Number(found);
}
