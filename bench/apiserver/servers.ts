/** The two servers that are compared: ours as a process, and kube-apiserver with etcd. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import { useKubernetes } from "@capstan/kubernetes";
import { type Cost, costOf, MeasuredProcess } from "../measured-process.ts";

/** A server under load. */
export interface Server extends AsyncDisposable {
  readonly name: "capstan" | "kube-apiserver + etcd";
  readonly client: Client;
  /** Opens another connection, like another client. */
  connect(): Promise<Client>;
  /** The path of the kubeconfig. */
  readonly kubeconfig: string;
  residentMiB(): number;
  cpuSeconds(): number;
}

/** Opens a separate connection. */
export const connectTo = async (kubeconfig: string): Promise<Client> =>
  createClient(await loadConfig(processHost(), { kubeconfig }));

/** Starts ours; also returns the milliseconds until it was ready. */
export async function startOurs(): Promise<Server & { readonly milliseconds: number }> {
  const folder = mkdtempSync(join(tmpdir(), "capstan-bench-"));
  const kubeconfig = join(folder, "kubeconfig");
  const began = performance.now();
  const server = new MeasuredProcess([
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    "--max-semi-space-size=4",
    "apps/cli/dist/main.js",
    "apiserver",
    "--kubeconfig-out",
    kubeconfig,
  ]);
  await server.says(/is ready/);
  const milliseconds = performance.now() - began;
  const client = await connectTo(kubeconfig);
  return {
    name: "capstan",
    milliseconds,
    client,
    connect: () => connectTo(kubeconfig),
    kubeconfig,
    residentMiB: () => server.cost().residentMiB,
    cpuSeconds: () => server.cost().cpuSeconds,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Starts the real one. */
export async function startTheirs(): Promise<Server> {
  const cluster = await useKubernetes({ after: () => {} }, { own: true });
  const client = await connectTo(cluster.kubeconfig);
  return {
    name: "kube-apiserver + etcd",
    client,
    connect: () => connectTo(cluster.kubeconfig),
    kubeconfig: cluster.kubeconfig,
    residentMiB: () => sumOf(cluster.name, "residentMiB"),
    cpuSeconds: () => sumOf(cluster.name, "cpuSeconds"),
    async [Symbol.asyncDispose]() {
      await client.close();
      await cluster[Symbol.asyncDispose]();
    },
  };
}

/** The cost of the two programs of a cluster, found by its name in their arguments. */
function sumOf(name: string, cost: keyof Cost): number {
  let sum = 0;
  for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
    const command = commandOf(pid);
    if (/^\S*\/(kube-apiserver|etcd)\0/.test(command) && command.includes(`/${name}/`)) {
      sum += costOf(Number(pid))[cost];
    }
  }
  return sum;
}

function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8");
  } catch {
    return "";
  }
}
