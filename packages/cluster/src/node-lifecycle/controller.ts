/** Taints unhealthy nodes, and marks nodes without heartbeat as unreachable. */
import { isApiError } from "@capstan/client";
import type { Client } from "@capstan/client";
import { Lease } from "@capstan/kinds/coordination.k8s.io/v1";
import { Node, Pod } from "@capstan/kinds/v1";
import { findCondition, formatTime } from "@capstan/model";
import { requeue, anyChange, controller } from "@capstan/runtime";
import type { ReconcileResult, Controller } from "@capstan/runtime";
import { podIndexes } from "../pod/indexes.ts";
import { isReady } from "../pod/state.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";
import { writeStatus } from "../controller/write-status.ts";
import { taintsFor } from "./decide.ts";

/** A node without heartbeat for this many milliseconds is unreachable. */
const MONITOR_GRACE_PERIOD = 50_000;

/** The conditions that only the kubelet reports. */
const kubeletConditions: ReadonlySet<string> = new Set(["Ready", "MemoryPressure", "DiskPressure", "PIDPressure"]);

/** The node lifecycle controller. */
export function nodeLifecycleController({ client, clock }: ControllerContext): Controller {
  const heartbeats = new Map<string, { readonly fingerprint: string; readonly at: number }>();
  /** The time since the last heartbeat by our clock: the node's clock may be wrong. */
  const sinceLastHeartbeat = (node: Node, lease: Lease | undefined): number => {
    const ready = findCondition(node.status?.conditions, "Ready") as { lastHeartbeatTime?: string } | undefined;
    const fingerprint = `${ready?.lastHeartbeatTime ?? ""} ${lease?.spec?.renewTime ?? ""} ${node.status?.conditions?.length ?? 0}`;
    const last = heartbeats.get(node.metadata.uid);
    if (last?.fingerprint === fingerprint) return clock.now() - last.at;
    heartbeats.set(node.metadata.uid, { fingerprint, at: clock.now() });
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
      // A node that never reported has no heartbeat to measure.
      const reports = findCondition(object.status?.conditions, "Ready") !== undefined;
      const sinceHeartbeat = reports && lease !== undefined ? sinceLastHeartbeat(object, lease) : 0;
      const node =
        sinceHeartbeat >= MONITOR_GRACE_PERIOD
          ? await writeStatus(client, Node, { object, status: withUnknownConditions(object, clock.wall()), signal })
          : object;
      const taints = taintsFor(node, formatTime(clock.wall()));
      if (taints !== node.spec?.taints && (taints.length > 0 || node.spec?.taints !== undefined)) {
        const { resourceVersion } = node.metadata;
        const merge = { metadata: { resourceVersion }, spec: { taints: taints.length === 0 ? null : taints } };
        await client.patch(Node, { name: node.metadata.name }, { merge }, { fieldManager: FIELD_MANAGER, signal });
      }
      if (findCondition(node.status?.conditions, "Ready")?.status !== "True") {
        const pods = find(Pod, { namespace: "*", index: { name: "node", value: node.metadata.name } });
        for (const pod of pods.filter(isReady)) await markNotReady(client, pod, clock.wall());
      }
      return requeueForHeartbeat(lease, sinceHeartbeat);
    },
  );
}

/** The state of pods on such a node is unknown, so they count as not ready. */
async function markNotReady(client: Client, pod: Pod, now: number): Promise<void> {
  const { namespace = "", name } = pod.metadata;
  const condition = { type: "Ready", status: "False", lastTransitionTime: formatTime(now) };
  const options = { subresource: "status", fieldManager: FIELD_MANAGER };
  const strategic = { status: { conditions: [condition] } };
  await client.patch(Pod, { namespace, name }, { strategic }, options).catch((error: unknown) => {
    if (!isApiError(error, "NotFound")) throw error;
  });
}

function requeueForHeartbeat(lease: Lease | undefined, sinceHeartbeat: number): ReconcileResult {
  if (lease === undefined || sinceHeartbeat >= MONITOR_GRACE_PERIOD) return undefined;
  return requeue(MONITOR_GRACE_PERIOD - sinceHeartbeat, { reason: "waiting for a heartbeat" });
}

function withUnknownConditions({ status }: Node, now: number): Node["status"] {
  const time = formatTime(now);
  const conditions = status?.conditions?.map((condition) => {
    if (!kubeletConditions.has(condition.type) || condition.status === "Unknown") return condition;
    const message = "Kubelet stopped posting node status.";
    return { ...condition, status: "Unknown" as const, reason: "NodeStatusUnknown", message, lastTransitionTime: time };
  });
  return { ...status, ...(conditions && { conditions }) };
}
