/** Nodes with simulated pods. */
import { simulatedRuntime, startNode } from "@capstan/node";
import type { RunningNode, SimulatedRuntime } from "@capstan/node";
import type { ControllerContext } from "../controller/context.ts";
import { nodeName } from "./node-name.ts";

/** A simulated node. Its runtime controls what happens to its pods. */
export interface ClusterNode extends RunningNode {
  readonly runtime: SimulatedRuntime;
}

/** The options of simulated nodes. */
export interface SimulatedNodesOptions {
  readonly nodes: number;
  readonly capacity: { readonly [resource: string]: string } | undefined;
  readonly heartbeat: boolean;
}

/** Each node has its own pod network: 10.64.0.0/16, 10.65.0.0/16 and so on. */
const FIRST_POD_NETWORK = 64;

/** Starts the nodes. */
export function startSimulatedNodes(
  { client, clock }: ControllerContext,
  { nodes, capacity, heartbeat }: SimulatedNodesOptions,
): Promise<readonly ClusterNode[]> {
  return Promise.all(
    Array.from({ length: nodes }, async (_, index) => {
      const runtime = simulatedRuntime({
        clock,
        ...(capacity !== undefined && { capacity }),
        address: `192.168.0.${index + 1}`,
        podCidr: `10.${FIRST_POD_NETWORK + index}.0.0/16`,
      });
      const name = nodeName(index, nodes);
      return Object.assign(await startNode({ client, name, runtime, clock, heartbeat }), { runtime });
    }),
  );
}
