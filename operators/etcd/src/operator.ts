/** The operator: its controllers, joined with the world outside that is handed in. */
import { controller, operator } from "capstan";
import type { Controller, Operator } from "capstan";
import { actions } from "./act/index.ts";
import type { Means } from "./act/index.ts";
import { decide } from "./decide/index.ts";
import { EtcdCluster } from "./kinds/index.ts";
import { observe, OWNS, READS } from "./observe/index.ts";
import type { Outside, Seen } from "./observe/index.ts";
import { operationController } from "./operation/operation.ts";

/** Everything that is handed in. */
export type OperatorOptions = Outside & Partial<Means> & { readonly more?: readonly Controller[] };

export function clusterController(options: OperatorOptions): Controller {
  const { seedParts = () => ({ initContainers: [], volumes: [] }) } = options;
  return controller(
    EtcdCluster,
    { owns: OWNS, reads: READS, timeout: "3m" },
    {
      observe: (context): Promise<Seen> => observe(context, options),
      decide: (seen: Seen) => decide(seen),
      act: actions({ seedParts }),
    },
  );
}

export function etcdOperator(options: OperatorOptions): Operator {
  const { more = [] } = options;
  return operator({
    name: "etcd-operator",
    controllers: [clusterController(options), operationController(options), ...more],
  });
}
