/**
 * The namespaces of a cluster: network, mounts and processes. One first process holds them; when it ends, the kernel ends every
 * process in them and takes mounts and interfaces away, which is why nothing can be left behind.
 */

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { lastLines, run } from "./command.ts";
import { KubernetesToolError } from "./errors.ts";
import { interfaceCommands } from "./network.ts";
import { findComponents, findProcesses, processMark } from "./processes.ts";

/** A program to be started inside, known by its component name. */
export interface Service {
  readonly component: string;
  readonly program: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** The folder and first process of a running cluster. */
export interface Sandbox {
  readonly folder: string;
  readonly init: number;
  /** Aborts all waits inside the sandbox. */
  readonly signal?: AbortSignal | undefined;
}

const SEARCH_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

/** Creates the namespaces: an init process, a network, and mounts that keep host folders clean. */
export async function startSandbox(folder: string, initProgram: string, signal?: AbortSignal): Promise<Sandbox> {
  mkdirSync(join(folder, "logs"), { recursive: true });
  const namespaces = ["--net", "--mount", "--pid", "--fork", "--mount-proc", "--propagation", "private"];
  spawnDetached(folder, { component: "init", program: "unshare", args: [...namespaces, "--", initProgram] });
  const sandbox: Sandbox = { folder, init: await waitForInit(folder), signal };
  await inside(sandbox, "ip", ["-batch", "-"], interfaceCommands());
  await inside(sandbox, "sh", ["-eu", "-c", MOUNT_SCRIPT, "sh", folder]);
  return sandbox;
}

/** The namespaces of a cluster that is running, if it is. */
export function findSandbox(folder: string): Sandbox | undefined {
  const init = findComponents(folder).find((found) => found.component === "init");
  return init && { folder, init: init.pid };
}

/** Starts a program inside that outlives the caller; its output goes to its log. */
export function startService({ folder, init }: Sandbox, service: Service): void {
  const args = [...enter(init), service.program, ...service.args];
  spawnDetached(folder, { ...service, program: "nsenter", args });
}

/** Runs a program inside to its end. */
export async function inside(
  sandbox: Sandbox,
  program: string,
  args: readonly string[],
  input?: string | { readonly file: number },
): Promise<string> {
  const env = { PATH: SEARCH_PATH, ...processMark(sandbox.folder, "setup") };
  return run("nsenter", [...enter(sandbox.init), program, ...args], { env, ...(input !== undefined && { input }) });
}

/** The arguments of nsenter for the network alone: files and processes stay the caller's. */
export function enterNetwork(init: number): string[] {
  return ["--target", String(init), "--net", "--"];
}

function enter(init: number): string[] {
  return ["--target", String(init), "--net", "--mount", "--pid", "--"];
}

/**
 * Fails if a service has ended, with the last lines of its log. The process that enters the namespaces counts as the service: on a busy
 * machine it may not have become the service yet.
 */
export function assertRunning(folder: string, component: string): void {
  if (findProcesses(folder).some((found) => found.component === component)) return;
  throw new KubernetesToolError(
    "not-started",
    `${component} ended while it should run; the end of its log says:\n${logTail(folder, component)}`,
  );
}

/** The last lines that a component logged. */
export function logTail(folder: string, component: string): string {
  try {
    return lastLines(readFileSync(logPath(folder, component), "utf8"), 6);
  } catch {
    return "(no log)";
  }
}

/** Where a component logs to. */
export function logPath(folder: string, component: string): string {
  return join(folder, "logs", `${component}.log`);
}

function spawnDetached(folder: string, service: Service): void {
  const log = openSync(logPath(folder, service.component), "a");
  const env = { PATH: SEARCH_PATH, HOME: folder, ...service.environment, ...processMark(folder, service.component) };
  const child = spawn(service.program, service.args, { detached: true, cwd: folder, stdio: ["ignore", log, log], env });
  closeSync(log);
  // A program that cannot start has no process; later waits detect that.
  child.on("error", () => {});
  child.unref();
}

async function waitForInit(folder: string): Promise<number> {
  const deadline = performance.now() + 60_000;
  while (performance.now() < deadline) {
    const init = findSandbox(folder)?.init;
    if (init !== undefined && isFirstProcess(init)) return init;
    await delay(10);
  }
  throw new KubernetesToolError(
    "not-started",
    `could not make namespaces: ${logTail(folder, "init")}; a container needs to be privileged for this`,
  );
}

/** The forked child of unshare still is unshare for a moment; it is ours once it is process 1 and runs the program. */
function isFirstProcess(pid: number): boolean {
  try {
    return /^NSpid:\s+\d+\s+1$/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

/**
 * /run becomes empty and /var an overlay in memory, so that files of kubelet, containerd and the network plugins at fixed paths end with
 * the namespace. The cluster's folder stays visible below /var. The kernel settings that kubelet requires are copies, because they apply
 * to the whole machine.
 */
const MOUNT_SCRIPT = `
echo 1 >/proc/sys/net/ipv4/ip_forward
mount -t tmpfs -o mode=755 capstan /run
mkdir -p /run/capstan/cluster /run/capstan/upper /run/capstan/work /run/lock
mount --bind "$1" /run/capstan/cluster
mount -t overlay -o lowerdir=/var,upperdir=/run/capstan/upper,workdir=/run/capstan/work capstan /var
case "$1" in /var/*) mount --bind /run/capstan/cluster "$1" ;; esac
umount /run/capstan/cluster
for setting in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
  copy=/run/capstan/$(echo "$setting" | tr / .)
  cat "/proc/sys/$setting" >"$copy"
  mount --bind "$copy" "/proc/sys/$setting"
done
mount --make-rshared /
`;
