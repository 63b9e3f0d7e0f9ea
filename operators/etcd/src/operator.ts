/** The operator: its controllers, joined with the world outside that is handed in. */
import { controller, operator } from "capstan";
import type { Controller, Operator } from "capstan";
import { actions } from "./act/index.ts";
import type { ActionEnvironment } from "./act/index.ts";
import { resolveAgentImage } from "./agent-image.ts";
import type { AgentImage } from "./agent-image.ts";
import { backupControllers, seedParts } from "./backup/index.ts";
import { decide, isRecovering } from "./decide/index.ts";
import { EtcdCluster } from "./kinds/index.ts";
import { observe, ownedKinds, readKinds } from "./observe/index.ts";
import type { ObserveEnvironment, Environment, ClusterObservation } from "./observe/index.ts";
import { operationController } from "./operation/operation.ts";
import { DATA_DIR, DATA_PATH, imageOf, peerUrl, tokenOf } from "./pods/index.ts";

/** Everything that is handed in. */
export interface OperatorOptions extends Environment {
  /** What this process has seen so far: nothing, but where a test has several lives in one process. */
  readonly sightings?: ObserveEnvironment["sightings"];
  /** What this process has told members of passwords: nothing, as before. */
  readonly passwords?: ActionEnvironment["passwords"];
  /** The image of this program: pods that make and fetch backups run it. */
  readonly agentImage: AgentImage;
}

export function etcdOperator(options: OperatorOptions): Operator {
  const controllers = [clusterController(options), operationController(options), ...backupControllers(options)];
  return operator({ name: "etcd-operator", controllers });
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

/** What the pod of a first member needs that begins with a backup. */
function seedsWith({ agentImage }: OperatorOptions): ActionEnvironment["seedParts"] {
  return ({ seen, get }, member, version) => {
    const { template, seedFrom: source } = seen;
    if (source === undefined) throw new Error(`${member} is to begin with a backup, and there is none`);
    const { recovery, clusterId } = seen.object.status ?? {};
    const { namespace = "", name, uid } = seen.object.metadata;
    // What a cluster begins with may be of an earlier one of its name; what it goes on with is its own.
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
