/** The cluster of a dev session: an embedded one, or an existing one. */
import { mkdir, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { type Client, createClient, loadConfig, processHost } from "@capstan/client";
import type { Cluster, RealCluster } from "@capstan/cluster";
import { apiOf } from "@capstan/runtime";
import { CliError } from "../errors.ts";
import { makeFolder } from "../project/disk.ts";
import type { Terminal } from "../terminal.ts";
import { sessionFolder } from "./session.ts";

/** The cluster options of the command line. */
export interface ClusterChoice {
  readonly root: string;
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly port: string;
  readonly pods: "simulated" | "real";
  readonly data: string | undefined;
}

/** A cluster to run on. */
export interface DevCluster extends AsyncDisposable {
  readonly client: Client;
  /** The session's own cluster, or an existing one of the user. */
  readonly owner: "session" | "somebody";
  /** Its address. */
  readonly server: string;
  /** A file for kubectl; undefined for the default locations. */
  readonly kubeconfig: string | undefined;
  /** A file for the operator. */
  readonly operatorKubeconfig: string | undefined;
  readonly context: string | undefined;
  /** Lines about the cluster for the user. */
  readonly about: readonly string[];
}

/** The terminal, and the signal that aborts the start. */
interface Opening {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Starts or opens the cluster. */
export async function openCluster(choice: ClusterChoice, { terminal, signal }: Opening): Promise<DevCluster> {
  const isEmbedded = choice.kubeconfig === undefined && choice.context === undefined;
  if (!isEmbedded && choice.pods === "real")
    throw new CliError(
      "Usage",
      "--pods is for the embedded cluster: leave it out, or leave out --kubeconfig and --context",
    );
  return isEmbedded ? startEmbedded(choice, terminal) : openExisting(choice, { terminal, signal });
}

async function startEmbedded(choice: ClusterChoice, terminal: Terminal): Promise<DevCluster> {
  const { root, port, pods } = choice;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    throw new CliError("Usage", `--port must be a number up to 65535, not ${JSON.stringify(port)}`);
  const began = performance.now();
  const cluster = await start(choice, terminal);
  const kubeconfig = join(sessionFolder(root), "kubeconfig");
  await mkdir(sessionFolder(root), { recursive: true });
  await writeFile(kubeconfig, cluster.kubeconfig ?? "", { mode: 0o600 });
  const operatorKubeconfig = join(sessionFolder(root), "operator-kubeconfig");
  await writeFile(operatorKubeconfig, withNamespace(cluster.kubeconfig ?? "{}"), { mode: 0o600 });
  await makeNamespace(cluster.client);
  const milliseconds = Math.round(performance.now() - began);
  return {
    client: cluster.client,
    owner: "session",
    server: cluster.server.url ?? "",
    kubeconfig,
    operatorKubeconfig,
    context: undefined,
    about: [
      `embedded cluster on ${cluster.server.url} with ${pods} pods (${milliseconds} ms)`,
      ...(pods === "simulated" ? ["pods run nothing here and become ready; --pods real runs their images"] : []),
      `kubectl --kubeconfig ${relative(terminal.cwd, kubeconfig)} talks to it`,
    ],
    [Symbol.asyncDispose]: () => cluster.stop(),
  };
}

async function start({ port, data, pods }: ClusterChoice, terminal: Terminal): Promise<Cluster | RealCluster> {
  const { startCluster } = await import("@capstan/cluster");
  const folder = data === undefined ? undefined : resolve(terminal.cwd, data);
  if (folder !== undefined) await makeFolder(folder);
  const common = { port: Number(port), ...(folder === undefined ? {} : { data: folder }) };
  if (pods === "simulated") return startCluster({ ...common, pods });
  const [{ inspectMachine }, { openStore }, { imagesFolder }, { registrySessions }, { missing }] = await Promise.all([
    import("@capstan/node"),
    import("@capstan/oci"),
    import("../embedded/places.ts"),
    import("../embedded/registry.ts"),
    import("../embedded/run-cluster.ts"),
  ]);
  const machine = await inspectMachine(process);
  if (!machine.canRunPods)
    throw new CliError("Failed", `this machine cannot run real pods: ${missing(machine)}; or leave out --pods`);
  const images = await openStore(imagesFolder(terminal));
  return startCluster({ ...common, pods, images, registry: registrySessions(terminal) });
}

/** The operator's namespace, as in production: its own webhooks are not called for objects in it. */
const home = "capstan-dev";

/** Sets that namespace in the kubeconfig of an embedded cluster, which is JSON. */
function withNamespace(text: string): string {
  const config = JSON.parse(text) as { readonly contexts: readonly { readonly context: object }[] };
  const contexts = config.contexts.map((entry) => ({ ...entry, context: { ...entry.context, namespace: home } }));
  return `${JSON.stringify({ ...config, contexts })}\n`;
}

async function makeNamespace(client: Client): Promise<void> {
  const kind = { group: "", version: "v1", kind: "Namespace", plural: "namespaces", scope: "Cluster" } as const;
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: home } };
  await apiOf(client).apply(kind, namespace, { manager: "capstan-dev" });
}

async function openExisting(
  { kubeconfig: named, context }: ClusterChoice,
  { terminal: { cwd }, signal }: Opening,
): Promise<DevCluster> {
  const kubeconfig = named === undefined ? undefined : resolve(cwd, named);
  const config = await loadConfig(processHost(), { kubeconfig, context });
  const client = createClient(config, { userAgent: "capstan-dev" });
  const { gitVersion } = await unlessStopped(client.serverVersion(), signal);
  return {
    client,
    owner: "somebody",
    server: config.cluster.server,
    kubeconfig,
    operatorKubeconfig: kubeconfig,
    context,
    about: [`Kubernetes ${gitVersion} at ${config.cluster.server}`],
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** Stopping the session does not wait for a cluster that does not respond. */
async function unlessStopped<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const stop = (): void => stopped.reject(new CliError("Interrupted", "stopped before the cluster answered"));
  signal.addEventListener("abort", stop);
  try {
    return await Promise.race([answer, stopped.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
