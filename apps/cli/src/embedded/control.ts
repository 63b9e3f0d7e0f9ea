/** The control socket of a running cluster: one line of JSON each way. Only its owner can open it. */
import { rm } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import type { Cluster, Fault, RealCluster } from "@capstan/cluster";
import { CliError } from "../errors.ts";

/** A request to a cluster. */
export type ControlRequest = { readonly do: "fault"; readonly fault: Fault };

type ControlAnswer = { readonly done: string } | { readonly error: string };

/** Opens the control socket. */
export async function openControl(path: string, cluster: Cluster | RealCluster): Promise<AsyncDisposable> {
  await rm(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
    socket.on("error", () => socket.destroy());
    createInterface({ input: socket }).once("line", (line) => {
      void answer(line, cluster).then((said) => socket.end(`${JSON.stringify(said)}\n`));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}

async function answer(line: string, cluster: Cluster | RealCluster): Promise<ControlAnswer> {
  try {
    const request = JSON.parse(line) as ControlRequest;
    if (!("faults" in cluster)) return { error: "the pods of this cluster are simulated: they have no lines" };
    return { done: await cluster.faults.set(request.fault) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

/** Sends a request to a cluster; throws the cluster's error. */
export async function askCluster(path: string, request: ControlRequest): Promise<string> {
  const socket = connect({ path });
  const line = await new Promise<string>((resolve, reject) => {
    socket.once("error", (cause) => reject(new CliError("Cluster", "the cluster does not answer", { cause })));
    socket.once("close", () => reject(new CliError("Cluster", "the cluster ended before it answered")));
    createInterface({ input: socket }).once("line", resolve);
    socket.write(`${JSON.stringify(request)}\n`);
  });
  socket.destroy();
  const said = JSON.parse(line) as ControlAnswer;
  if ("error" in said) throw new CliError("BadInput", said.error);
  return said.done;
}
