/** Watches over nodes: taints those that are not well, and calls those unreachable that have fallen silent. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { Lease } from "@capstan/kinds/coordination.k8s.io/v1";
import { Node, Pod } from "@capstan/kinds/v1";
import { findCondition, formatTime } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { podIndexes } from "../pod/cache.ts";
import { isReady } from "../pod/state.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";
import { writeStatus } from "../status/status.ts";
import { taintsFor } from "./decide.ts";

/** A node that has said nothing for so long is unreachable, in milliseconds. */
const SILENCE = 50_000;

/** The conditions that only the node itself can know. */
const known: ReadonlySet<string> = new Set(["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]);

/** The controller of nodes. */
export function nodeLifecycleController({ client, clock }: Setting): Controller {
  const heard = new Map<string, { readonly sign: string; readonly at: number }>();
  /** How long a node has been silent, by our own clock: the node's may be wrong. */
  const silenceOf = (node: Node, lease: Lease | undefined): number => {
    const beat = findCondition(node.status?.conditions, "Ready") as { lastHeartbeatTime?: string } | undefined;
    const sign = `${beat?.lastHeartbeatTime ?? ""} ${lease?.spec?.renewTime ?? ""} ${node.status?.conditions?.length ?? 0}`;
    const last = heard.get(node.metadata.uid);
    if (last?.sign === sign) return clock.now() - last.at;
    heard.set(node.metadata.uid, { sign, at: clock.now() });
    return 0;
  };
  return controller(
    Node,
    {
      name: "node-lifecycle",
      reporter: "node-controller",
      reads: [Lease, Pod],
      predicate: anyChange,
      cache: { Pod: podIndexes },
    },
    async ({ object, get, find, signal }): Promise<ReconcileResult> => {
      const lease = get(Lease, { name: object.metadata.name, namespace: "kube-node-lease" });
      // A node that never reported has no silence to measure.
      const reports = findCondition(object.status?.conditions, "Ready") !== undefined;
      const silence = reports && lease !== undefined ? silenceOf(object, lease) : 0;
      const node =
        silence >= SILENCE
          ? await writeStatus(client, Node, { object, status: unknown(object, clock.wall()), signal })
          : object;
      const taints = taintsFor(node, formatTime(clock.wall()));
      if (taints !== node.spec?.taints && (taints.length > 0 || node.spec?.taints !== undefined)) {
        const { resourceVersion } = node.metadata;
        const merge = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
        await client.patch(Node, { name: node.metadata.name }, { merge }, { fieldManager: MANAGER, signal });
      }
      if (findCondition(node.status?.conditions, "Ready")?.status !== "True") {
        const pods = find(Pod, { namespace: "*", index: { name: "node", value: node.metadata.name } });
        for (const pod of pods.filter(isReady)) await markUnready(client, pod, clock.wall());
      }
      return listen(lease, silence);
    },
  );
}

/** Nobody can tell whether a pod on such a node still serves, so it counts as one that does not. */
async function markUnready(client: Client, pod: Pod, now: number): Promise<void> {
  const { namespace = "", name } = pod.metadata;
  const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(now) };
  const options = { subresource: "status", fieldManager: MANAGER };
  const strategic = { status: { conditions: [condition] } };
  await client.patch(Pod, { namespace, name }, { strategic }, options).catch((error: unknown) => {
    if (!isApiError(error, "NotFound")) throw error;
  });
}

function listen(lease: Lease | undefined, silence: number): ReconcileResult {
  if (lease === undefined || silence >= SILENCE) return undefined;
  return requeue(SILENCE - silence, { reason: "listening for the node" });
}

function unknown({ status }: Node, now: number): Node["status"] {
  const time = formatTime(now);
  const conditions = status?.conditions?.map((condition) => {
    if (!known.has(condition.type) || condition.status === "Unknown") return condition;
    const message = "Kubelet stopped posting node status.";
    return { ...condition, status: "Unknown" as const, reason: "NodeStatusUnknown", message, lastTransitionTime: time };
  });
  return { ...status, ...(conditions && { conditions }) };
}
