/** Runs a cluster in this process until it is stopped, and writes its record. */
import { rename, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { startCluster, type Cluster, type ClusterOptions, type RealCluster } from "@capstan/cluster";
import { inspectMachine, type MachineReport } from "@capstan/node";
import { openStore } from "@capstan/oci";
import { createLog, systemClock } from "@capstan/runtime";
import { CliError } from "../errors.ts";
import { growSlowly } from "../serving-heap.ts";
import { stopSignal } from "../stop-signal.ts";
import type { Terminal } from "../terminal.ts";
import { claimFolder } from "./claim.ts";
import { openControl } from "./control.ts";
import { describe } from "./describe.ts";
import { clusterFolder, imagesFolder } from "./places.ts";
import { files, markOf, writeRecord, type ClusterRecord } from "./record.ts";
import { registrySessions } from "./registry.ts";

/** The options of a cluster. */
export interface ClusterWishes {
  readonly name: string;
  readonly nodes: number;
  readonly data: string | undefined;
  /** Default: real pods if the machine can run them. */
  readonly pods: "real" | "simulated" | undefined;
  readonly port: number;
  readonly kubeconfigOut: string | undefined;
}

/** Runs a cluster. It is ready when its record exists. */
export async function runCluster(wishes: ClusterWishes, terminal: Terminal): Promise<void> {
  const began = performance.now();
  growSlowly();
  const folder = clusterFolder(terminal, wishes.name);
  mustFitSocket(files.control(folder));
  await makeRoom(folder, wishes.name);
  const pods = wishes.pods ?? (await possiblePods(terminal));
  const cluster = await open(wishes, pods, { folder, terminal });
  try {
    const record = toRecord(cluster, wishes, pods);
    await using _control = await openControl(files.control(folder), cluster);
    await writeKubeconfigs(cluster, wishes, { folder, cwd: terminal.cwd });
    const seconds = ((performance.now() - began) / 1000).toFixed(1);
    terminal.out(`cluster ${record.name} is ready on ${record.url} with ${describe(record)} (${seconds} s)\n`);
    // The record is last: a process that waits for it finds the kubeconfig and the whole log.
    await writeRecord(folder, record);
    await stay(cluster, record, terminal);
  } finally {
    await rm(files.record(folder), { force: true });
    await cluster.stop();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs until it is stopped, or until the cluster ends. */
async function stay(cluster: Cluster | RealCluster, { name }: ClusterRecord, terminal: Terminal): Promise<void> {
  const quit = new AbortController();
  let isLost = false;
  if ("lost" in cluster)
    void cluster.lost.then(() => {
      isLost = true;
      quit.abort();
    });
  await (terminal.isInteractive ? show(cluster, terminal, quit) : stopSignal(quit.signal));
  if (!isLost) return;
  const what = `cluster ${name} has ended, because the process that holds its network and its pods did`;
  throw new CliError("Cluster", `${what}; start it again (whatever --data keeps is still there)`);
}

/** Shows the live view on an interactive terminal. */
async function show(cluster: Cluster | RealCluster, terminal: Terminal, quit: AbortController): Promise<void> {
  const [{ showView }, { watchKeys }] = await Promise.all([import("./view/live-view.ts"), import("../dev/keys.ts")]);
  using _keys = watchKeys(terminal, (key) => {
    if (key === "q") quit.abort();
  });
  const ended = stopSignal(quit.signal).then(() => quit.abort());
  await showView(cluster, terminal, quit.signal);
  await ended;
}

/** The paths of Unix sockets are short; a path that is too long fails before anything is created. */
function mustFitSocket(path: string): void {
  if (Buffer.byteLength(path) <= 107) return;
  throw new CliError("BadInput", `the path ${path} is too long for a socket; set XDG_STATE_HOME to a shorter folder`);
}

/** Removes the files of an earlier cluster of this name, after the name is claimed. */
async function makeRoom(folder: string, name: string): Promise<void> {
  await claimFolder(folder, name);
  await rm(files.record(folder), { force: true });
  await rm(files.state(folder), { recursive: true, force: true });
}

async function possiblePods(terminal: Terminal): Promise<"real" | "simulated"> {
  const report = await inspectMachine(process);
  if (report.canRunPods) return "real";
  terminal.err(`pods are simulated, because this machine cannot run them: ${missing(report)}\n`);
  return "simulated";
}

/** The missing requirements in one line. */
export function missing({ findings }: MachineReport): string {
  const lacking = findings.filter(({ ok }) => !ok);
  return lacking.map(({ what, remedy }) => (remedy === undefined ? what : `${what} (${remedy})`)).join(", ");
}

interface Place {
  readonly folder: string;
  readonly terminal: Terminal;
}

async function open(
  wishes: ClusterWishes,
  pods: "real" | "simulated",
  { folder, terminal }: Place,
): Promise<Cluster | RealCluster> {
  const { name, nodes, port, data } = wishes;
  const log = createLog({ clock: systemClock, level: "warn", write: (line) => terminal.err(line) });
  const common: ClusterOptions = {
    name,
    nodes,
    port,
    log,
    ...(data !== undefined && { data: resolve(terminal.cwd, data) }),
  };
  if (pods === "simulated") return startCluster({ ...common, pods });
  const images = await openStore(imagesFolder(terminal));
  try {
    return await startCluster({
      ...common,
      pods,
      images,
      ...(data === undefined && { state: files.state(folder) }),
      registry: registrySessions(terminal),
    });
  } catch (error) {
    const report = await inspectMachine(process);
    if (report.canRunPods) throw error;
    throw new CliError("Failed", `this machine cannot run real pods: ${missing(report)}; or say --pods simulated`);
  }
}

function toRecord(
  cluster: Cluster | RealCluster,
  { name, nodes, data }: ClusterWishes,
  pods: ClusterRecord["pods"],
): ClusterRecord {
  return {
    name,
    process: markOf(process.pid),
    url: cluster.server.url ?? "",
    pods,
    nodes,
    data,
    startedAt: new Date().toISOString(),
    network:
      "network" in cluster ? { process: markOf(cluster.network.pid), names: cluster.network.resolvConf } : undefined,
  };
}

async function writeKubeconfigs(
  { kubeconfig = "" }: Cluster | RealCluster,
  { kubeconfigOut }: ClusterWishes,
  { folder, cwd }: { readonly folder: string; readonly cwd: string },
): Promise<void> {
  const out = kubeconfigOut === undefined ? [] : [resolve(cwd, kubeconfigOut)];
  // Written atomically: a process that waits for the file never reads a part of it.
  for (const file of [join(folder, "kubeconfig"), ...out]) {
    await writeFile(`${file}.new`, kubeconfig, { mode: 0o600 });
    await rename(`${file}.new`, file);
  }
}
