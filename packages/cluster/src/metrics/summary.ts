/** The resource usage of nodes and pods, read from the kubelets' summary API. */
import type { RunningNode } from "@capstan/node";

/** The usage at one moment: cumulative CPU time and current memory. */
export interface Usage {
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** The usage of a pod's containers by name. */
export interface PodUsage {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containers: ReadonlyMap<string, Usage>;
}

/** The usage of all nodes at one moment. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly nodes: ReadonlyMap<string, Usage>;
  /** By uid. */
  readonly pods: ReadonlyMap<string, PodUsage>;
}

interface UsageStats {
  readonly cpu?: { readonly usageCoreNanoSeconds?: number };
  readonly memory?: { readonly workingSetBytes?: number };
}

interface Summary {
  readonly node: UsageStats;
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
    readonly containers: readonly (UsageStats & { readonly name: string })[];
  }[];
}

/** Reads the summary of every node. */
export async function takeSample(nodes: readonly RunningNode[], at: number): Promise<Sample> {
  const summaries = await Promise.all(nodes.map(async (node) => ({ name: node.name, summary: await summaryOf(node) })));
  const pods = summaries.flatMap(({ summary }) => summary.pods.map(toPodUsage));
  return {
    at,
    nodes: new Map(summaries.map(({ name, summary }) => [name, toUsage(summary.node)])),
    pods: new Map(pods.map((pod) => [pod.uid, pod])),
  };
}

async function summaryOf(node: RunningNode): Promise<Summary> {
  const signal = new AbortController().signal;
  const call = { method: "GET", headers: {}, body: async () => new Uint8Array(), signal };
  const { body } = await node.handle({ verb: "api", path: "/stats/summary" }, call);
  return JSON.parse(typeof body === "string" ? body : "{}") as Summary;
}

function toPodUsage({ podRef, containers }: Summary["pods"][number]): PodUsage {
  return { ...podRef, containers: new Map(containers.map((one) => [one.name, toUsage(one)])) };
}

function toUsage({ cpu, memory }: UsageStats): Usage {
  return { cpuNanoseconds: cpu?.usageCoreNanoSeconds ?? 0, memoryBytes: memory?.workingSetBytes ?? 0 };
}
