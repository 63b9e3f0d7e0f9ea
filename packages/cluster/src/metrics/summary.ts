/** What nodes and pods use, read from the nodes' own summaries. */
import type { RunningNode } from "@capstan/node";

/** Use at one moment: seconds of all processors so far, and memory now. */
export interface Use {
  readonly cpuNanoseconds: number;
  readonly memoryBytes: number;
}

/** The use of a pod's containers by name. */
export interface PodUse {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly containers: ReadonlyMap<string, Use>;
}

/** What all nodes said at one moment. */
export interface Sample {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly nodes: ReadonlyMap<string, Use>;
  /** By uid. */
  readonly pods: ReadonlyMap<string, PodUse>;
}

interface Told {
  readonly cpu?: { readonly usageCoreNanoSeconds?: number };
  readonly memory?: { readonly workingSetBytes?: number };
}

interface Summary {
  readonly node: Told;
  readonly pods: readonly {
    readonly podRef: { readonly name: string; readonly namespace: string; readonly uid: string };
    readonly containers: readonly (Told & { readonly name: string })[];
  }[];
}

/** Asks every node. */
export async function takeSample(nodes: readonly RunningNode[], at: number): Promise<Sample> {
  const told = await Promise.all(nodes.map(async (node) => ({ name: node.name, summary: await summaryOf(node) })));
  const pods = told.flatMap(({ summary }) => summary.pods.map(toPodUse));
  return {
    at,
    nodes: new Map(told.map(({ name, summary }) => [name, toUse(summary.node)])),
    pods: new Map(pods.map((pod) => [pod.uid, pod])),
  };
}

async function summaryOf(node: RunningNode): Promise<Summary> {
  const signal = new AbortController().signal;
  const call = { method: "GET", headers: {}, body: async () => new Uint8Array(), signal };
  const { body } = await node.handle({ verb: "api", path: "/stats/summary" }, call);
  return JSON.parse(typeof body === "string" ? body : "{}") as Summary;
}

function toPodUse({ podRef, containers }: Summary["pods"][number]): PodUse {
  return { ...podRef, containers: new Map(containers.map((one) => [one.name, toUse(one)])) };
}

function toUse({ cpu, memory }: Told): Use {
  return { cpuNanoseconds: cpu?.usageCoreNanoSeconds ?? 0, memoryBytes: memory?.workingSetBytes ?? 0 };
}
