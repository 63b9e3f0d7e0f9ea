/** The ways from the API server to the nodes: they exist before the nodes do, because each needs the other. */
import type { Answer, Call, Dial, NodeDoor } from "@capstan/apiserver";
import type { Machine, RunningNode } from "@capstan/node";

/** What the API server is given before there are nodes, and what the nodes are put into. */
export interface NodeConnections extends NodeDoor {
  readonly dial: Dial;
  /** The node answers for its pods from now on. */
  add(node: RunningNode): void;
  /** The node answers no more. */
  remove(name: string): void;
  /** Addresses of the cluster are reached through this machine from now on. */
  setMachine(machine: Pick<Machine, "dial">): void;
}

/** Doors that lead nowhere yet. */
export function createNodeConnections(): NodeConnections {
  const nodes = new Map<string, RunningNode>();
  let network: Pick<Machine, "dial"> | undefined;
  return {
    add: (node) => void nodes.set(node.name, node),
    remove: (name) => void nodes.delete(name),
    setMachine: (machine) => void (network = machine),
    async handOver(name: string, path: string, call: Call): Promise<Answer> {
      const node = nodes.get(name);
      return node === undefined ? unreachable(name) : node.handle(path, call);
    },
    async dial({ host, port }) {
      if (network === undefined) throw dialError(`connect ENETUNREACH ${host}:${port}`);
      return network.dial(host, port).catch((error: Error) => {
        throw dialError(error.message);
      });
    },
  };
}

function unreachable(name: string): Answer {
  const message = `error dialing backend: the node ${name} does not run`;
  return { status: 500, headers: { "content-type": "text/plain; charset=utf-8" }, body: message };
}

/** Whoever dials from inside says why not as the system does, with the code in the text; callers look at the code. */
function dialError(message: string): NodeJS.ErrnoException {
  return Object.assign(new Error(message), { code: /\bE[A-Z]{4,}\b/.exec(message)?.[0] ?? "ECONNRESET" });
}
