/** The operator: its controllers with their dependencies. */
import { controller, operator } from "capstan";
import type { Controller, Operator } from "capstan";
import type { AgentImage } from "capstan/stateful";
import { resolveAgentImage } from "capstan/stateful/parts";
import { actions } from "./act/index.ts";
import type { ActionEnvironment } from "./act/index.ts";
import { backupControllers, seedParts } from "./backup/index.ts";
import { decide, isRecovering } from "./decide/index.ts";
import { EtcdCluster } from "./kinds/index.ts";
import { backupBytes, backups, members } from "./meters.ts";
import { observe, ownedKinds, readKinds } from "./observe/index.ts";
import type { ObserveEnvironment, Environment, ClusterObservation } from "./observe/index.ts";
import { operationController } from "./operation/operation.ts";
import { DATA_DIR, DATA_PATH, imageOf, peerUrl, tokenOf } from "./pods/index.ts";

export interface OperatorOptions extends Environment {
  /** Observations of this process. Default: none; tests pass them to simulate a second process. */
  readonly sightings?: ObserveEnvironment["sightings"];
  /** Passwords that this process has written. Default: none. */
  readonly passwords?: ActionEnvironment["passwords"];
  /** The image of this program, for backup pods. */
  readonly agentImage: AgentImage;
}

export function etcdOperator(options: OperatorOptions): Operator {
  const controllers = [clusterController(options), operationController(options), ...backupControllers(options)];
  return operator({ name: "etcd-operator", controllers, meters: [members, backups, backupBytes] });
}

function clusterController(options: OperatorOptions): Controller {
  const lookout = { ...options, sightings: options.sightings ?? new Map() };
  return controller(
    EtcdCluster,
    { owns: ownedKinds, reads: readKinds, timeout: "3m" },
    {
      observe: (context): Promise<ClusterObservation> => observe(context, lookout),
      decide: (seen: ClusterObservation) => decide(seen),
      act: actions({ seedParts: seedsWith(options), passwords: options.passwords ?? new Map() }),
    },
  );
}

/** Parts of the first member's pod that restore a backup. */
function seedsWith({ agentImage }: OperatorOptions): ActionEnvironment["seedParts"] {
  return ({ seen, get }, member, version) => {
    const { template, seedFrom: source } = seen;
    if (source === undefined) throw new Error(`${member} is to begin with a backup, and there is none`);
    const { recovery, clusterId } = seen.object.status ?? {};
    const { namespace = "", name, uid } = seen.object.metadata;
    // A new cluster may start with a backup of an earlier one with its name. A recovery uses only backups of this cluster.
    const cluster = { namespace, name, ...(clusterId === undefined ? {} : { uid }) };
    return seedParts({
      agentImage: resolveAgentImage(get, agentImage),
      source,
      expected: { cluster, recorded: seen.recorded },
      image: imageOf(template.spec, version),
      version,
      member,
      peerURL: peerUrl(template.place, member),
      token: tokenOf(template, member),
      volume: { name: "data", mountPath: DATA_PATH },
      dataDir: DATA_DIR,
      bump: isRecovering(recovery) ? (recovery?.bump ?? 0) : 0,
    });
  };
}
