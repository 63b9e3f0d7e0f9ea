/** Executes a command and returns the exit code. */

import { spawn } from "node:child_process";
import { delimiter, dirname, resolve } from "node:path";

import { buildInit, programPath } from "./build.ts";
import {
  clusterProcesses,
  isRunning,
  loadImages,
  prepareMachine,
  runningSandbox,
  startCluster,
  stopCluster,
} from "./cluster.ts";
import type { ClusterOptions } from "./cluster.ts";
import type { Command } from "./command-line.ts";
import { insideKubeconfig } from "./control-plane.ts";
import { KubernetesToolError } from "./errors.ts";
import { kubernetesProgram } from "./go-module.ts";
import { formatHelp } from "./help.ts";
import { buildTestImages } from "./images/test-images.ts";
import { showProgress } from "./progress.ts";
import { findRelease } from "./releases.ts";
import { enterNetwork } from "./sandbox.ts";
import { kubeconfigPath, listClusters, readState } from "./state.ts";
import type { ClusterState } from "./state.ts";

const progress = showProgress(process.stderr);

/** Runs one command to its end. */
export async function runCommand(command: Command): Promise<number> {
  switch (command.verb) {
    case "help":
      return print(formatHelp(command.topic));
    case "up":
      return up(command);
    case "down":
      return down(command.which === "all" ? listClusters() : [command.which.name]);
    case "kubeconfig":
      return print(`${kubeconfigPath(running(command.name).name)}\n`);
    case "status":
      return status(command.name);
    case "exec":
      return exec(running(command.name), command.command);
    case "kubectl":
      return kubectl(running(command.name), command.args);
    case "build":
      return build(command.version, command.withNode);
    case "load":
      return load(running(command.name), command.archives);
    case "images":
      return images(command);
  }
}

async function up(options: ClusterOptions): Promise<number> {
  const state = await startCluster({ ...options, signal: interruption() }, progress);
  return print(
    `cluster ${state.name}: Kubernetes ${state.version} at https://127.0.0.1:${state.ports[0]}\n` +
      `export KUBECONFIG=${kubeconfigPath(state.name)}\n`,
  );
}

/** Aborted when the user or the system wants this process to end. */
function interruption(): AbortSignal {
  const controller = new AbortController();
  const reason = new KubernetesToolError("interrupted", "interrupted; what was begun has been cleared away");
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => controller.abort(reason));
  return controller.signal;
}

async function down(names: readonly string[]): Promise<number> {
  for (const name of names) {
    const existed = await stopCluster(name);
    print(existed ? `cluster ${name} is down\n` : `there is no cluster ${name}; nothing to take down\n`);
  }
  return 0;
}

function status(wanted: string | undefined): number {
  const names = wanted === undefined ? listClusters() : [wanted];
  if (names.length === 0) return print('no clusters; "up" makes one\n');
  for (const name of names) print(describe(name));
  return wanted === undefined || isRunning(wanted) ? 0 : 1;
}

function describe(name: string): string {
  const state = readState(name);
  if (!state || !isRunning(name)) {
    return state ? `${name}: not running; "down --name ${name}" clears what is left\n` : `${name}: no such cluster\n`;
  }
  const addresses = state.ports.map((port) => `https://127.0.0.1:${port}`).join(", ");
  const processes = clusterProcesses(name).map(({ component, pid }) => `  ${component.padEnd(26)}pid ${pid}\n`);
  return `${name}: Kubernetes ${state.version}, ${state.nodes} nodes, ${addresses}\n${processes.join("")}`;
}

/** Inside, kubectl is the cluster's own. */
async function exec({ name, version }: ClusterState, command: readonly string[]): Promise<number> {
  const { folder, init } = runningSandbox(name);
  const programs = dirname(programPath(kubernetesProgram("kubectl", version)));
  const PATH = `${programs}${delimiter}${process.env["PATH"] ?? ""}`;
  const environment = { PATH, KUBECONFIG: insideKubeconfig(folder, "admin") };
  return attach("nsenter", [...enterNetwork(init), ...command], environment);
}

async function kubectl(state: ClusterState, args: readonly string[]): Promise<number> {
  const program = programPath(kubernetesProgram("kubectl", state.version));
  return attach(program, args, { KUBECONFIG: kubeconfigPath(state.name) });
}

async function build(version: string, withNode: boolean): Promise<number> {
  await prepareMachine(findRelease(version), { nodes: withNode ? 1 : 0, signal: interruption() }, progress);
  await buildInit(progress);
  return 0;
}

async function load(state: ClusterState, archives: readonly string[]): Promise<number> {
  for (const archive of archives) {
    await loadImages(state, [archive]);
    print(`loaded ${archive}\n`);
  }
  return 0;
}

async function images({ folder, only }: Extract<Command, { verb: "images" }>): Promise<number> {
  const built = await buildTestImages({ only, progress, ...(folder !== undefined && { folder: resolve(folder) }) });
  for (const { reference, archive } of built) print(`${reference.padEnd(34)}${archive}\n`);
  return 0;
}

/** The state of a running cluster. */
function running(name: string): ClusterState {
  runningSandbox(name);
  const state = readState(name);
  if (state) return state;
  throw new KubernetesToolError("unknown-cluster", `cluster ${name} was taken down at this moment`);
}

/** Runs a program on this terminal and gives its exit code. */
async function attach(program: string, args: readonly string[], environment: Record<string, string>): Promise<number> {
  const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, ...environment } });
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? 1));
  });
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
