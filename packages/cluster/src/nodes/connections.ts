/** Connections from the API server to the nodes. They exist before the nodes, because each side needs the other. */
import { once } from "node:events";
import { connect, isIPv4, type Socket } from "node:net";
import type { Answer, Call, Dial, NodeConnector, NodeRequest } from "@capstan/apiserver";
import type { Machine, RunningNode } from "@capstan/node";

/** The API server receives this before the nodes exist; the nodes are added later. */
export interface NodeConnections extends NodeConnector {
  readonly dial: Dial;
  /** Routes requests for this node's pods to the node. */
  add(node: RunningNode): void;
  /** Stops routing to the node. */
  remove(name: string): void;
  /** Reaches addresses of the cluster through this machine. */
  setMachine(machine: Pick<Machine, "dial">): void;
}

/** Connections without nodes. */
export function createNodeConnections(): NodeConnections {
  const nodes = new Map<string, RunningNode>();
  let network: Pick<Machine, "dial"> | undefined;
  return {
    add: (node) => void nodes.set(node.name, node),
    remove: (name) => void nodes.delete(name),
    setMachine: (machine) => void (network = machine),
    async handOver(name: string, request: NodeRequest, call: Call): Promise<Answer> {
      const node = nodes.get(name);
      return node === undefined ? unreachable(name) : node.handle(request, call);
    },
    async dial({ host, port }) {
      // An ExternalName can lead to the machine that the API server runs on, which is not part of the cluster's network.
      if (isLoopback(host)) return connected(connect({ host, port }));
      if (network === undefined) throw dialError(`connect ENETUNREACH ${host}:${port}`);
      return network.dial(host, port).catch((error: Error) => {
        throw dialError(error.message);
      });
    },
  };
}

/** A name such as 127.example.com is looked up in the cluster: this machine may reach other servers by it than pods do. */
function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (isIPv4(host) && host.startsWith("127."));
}

async function connected(socket: Socket): Promise<Socket> {
  await once(socket, "connect");
  return socket;
}

function unreachable(name: string): Answer {
  const message = `error dialing backend: the node ${name} does not run`;
  return { status: 500, headers: { "content-type": "text/plain; charset=utf-8" }, body: message };
}

/** The dialer reports the system's error code only in the text; callers read `code`. */
function dialError(message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code: /\bE[A-Z]{4,}\b/.exec(message)?.[0] ?? "ECONNRESET" });
}
