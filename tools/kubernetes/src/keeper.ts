/**
 * The process that runs beside a cluster: in the cluster's network it forwards connections from 127.0.0.1 to the API servers, provisions
 * volumes, and stops the cluster when its owner process ends.
 */

import { spawn } from "node:child_process";
import { openSync } from "node:fs";
import type { Server } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { forward } from "./forward.ts";
import { readCredentials } from "./kubeconfig.ts";
import { API_PORT, apiServerAddress } from "./network.ts";
import { provision } from "./node/provisioner.ts";
import { processBirth, processMark } from "./processes.ts";
import { enterNetwork, logPath } from "./sandbox.ts";
import type { Sandbox } from "./sandbox.ts";
import { clusterFolder } from "./state.ts";
import type { Owner } from "./state.ts";

/** The startup options of the keeper. */
interface KeeperOrders {
  readonly name: string;
  readonly targets: readonly { host: string; port: number }[];
  readonly owner?: Owner;
  /** Whether there are nodes, and so volumes to provide. */
  readonly withNodes: boolean;
}

/** The file descriptor of the starter's network namespace. */
const OUTER_NETWORK = 4;

/** Starts the keeper of a cluster and hands it the sockets, one for each target. */
export async function startKeeper(sandbox: Sandbox, servers: readonly Server[], orders: KeeperOrders): Promise<void> {
  const log = openSync(logPath(sandbox.folder, "keeper"), "a");
  const program = [process.execPath, "--conditions=@capstan/source", fileURLToPath(import.meta.url)];
  const child = spawn("nsenter", [...enterNetwork(sandbox.init), ...program], {
    detached: true,
    cwd: sandbox.folder,
    stdio: ["ignore", log, log, "ipc", openSync("/proc/self/ns/net", "r")],
    env: { ...process.env, NODE_OPTIONS: "", ...processMark(sandbox.folder, "keeper") },
  });
  const ready = new Promise<void>((resolve, reject) => {
    child.once("message", () => resolve());
    child.once("exit", () => reject(new Error("the keeper ended at its start")));
    child.once("error", reject);
  });
  child.send(orders);
  for (const server of servers) child.send("server", server);
  await ready;
  for (const server of servers) server.close();
  child.disconnect();
  child.unref();
}

function keep(): void {
  const servers: Server[] = [];
  let orders: KeeperOrders | undefined;
  process.on("message", (message: unknown, handle: unknown) => {
    if (message === "server") servers.push(handle as Server);
    else orders = message as KeeperOrders;
    if (!orders || servers.length < orders.targets.length) return;
    for (const [index, target] of orders.targets.entries()) {
      const server = servers[index];
      if (server) forward(server, target);
    }
    if (orders.withNodes) startProvisioner(orders.name);
    if (orders.owner) endWith(orders.owner, orders.name);
    process.send?.("ready");
  });
}

function startProvisioner(name: string): void {
  const folder = clusterFolder(name);
  const server = `https://${apiServerAddress(0)}:${API_PORT}`;
  void provision(readCredentials(folder, "admin", server), join(folder, "volumes"));
}

/** Watches the owner; when it is gone, the cluster is taken down by a process in the network that the keeper came from. */
function endWith(owner: Owner, name: string): void {
  const timer = setInterval(() => {
    if (processBirth(owner.pid) === owner.born) return;
    clearInterval(timer);
    const main = fileURLToPath(new URL("./main.ts", import.meta.url));
    const program = [process.execPath, "--conditions=@capstan/source", main, "down", "--name", name];
    spawn("nsenter", [`--net=/proc/self/fd/${OUTER_NETWORK}`, "--", ...program], {
      detached: true,
      cwd: "/",
      stdio: ["ignore", "ignore", "ignore", "ignore", OUTER_NETWORK],
      env: { ...process.env, CAPSTAN_KUBERNETES_PROCESS: "" },
    }).unref();
  }, 500);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) keep();
