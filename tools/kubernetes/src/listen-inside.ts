/** Lets a server of this process listen inside a cluster's network: the socket is made there and handed out. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import type { Server } from "node:net";
import { fileURLToPath } from "node:url";

import { runningSandbox } from "./cluster.ts";
import { KubernetesToolError } from "./errors.ts";
import { listeningPort } from "./forward.ts";
import { TEST_ADDRESS } from "./network.ts";
import { enterNetwork } from "./sandbox.ts";

/** Makes a server listen where the API server and pods of a cluster can call it; port 0 takes any free one. */
export async function listenInside(
  cluster: string,
  server: Server,
  port: number,
): Promise<{ host: string; port: number }> {
  const program = [process.execPath, fileURLToPath(import.meta.url), String(port)];
  const child = spawn("nsenter", [...enterNetwork(runningSandbox(cluster).init), ...program], {
    stdio: ["ignore", "ignore", "inherit", "ipc"],
    env: { ...process.env, NODE_OPTIONS: "--conditions=@capstan/source", NODE_TEST_CONTEXT: "" },
  });
  const socket = await new Promise<Server>((resolve, reject) => {
    child.once("message", (_message, handle) => resolve(handle as Server));
    child.once("error", reject);
    child.once("exit", () => reject(notListening(port)));
  });
  server.listen(socket);
  if (!server.listening) await once(server, "listening");
  return { host: TEST_ADDRESS, port: listeningPort(server) };
}

function notListening(port: number): KubernetesToolError {
  return new KubernetesToolError(
    "port-in-use",
    `port ${port} inside the cluster cannot be used: choose another, or 0 for a free one`,
  );
}

async function handOut(port: number): Promise<void> {
  const server = createServer();
  server.listen({ host: TEST_ADDRESS, port });
  await once(server, "listening");
  process.send?.("listening", server, {}, () => process.exit(0));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await handOut(Number(process.argv[2]));
