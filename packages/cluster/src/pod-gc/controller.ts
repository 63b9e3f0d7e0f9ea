/** Deletes pods of nodes that are gone or out of service: no kubelet will ever terminate them. */
import { isApiError } from "@capstan/client";
import { Node, Pod } from "@capstan/kinds/v1";
import { runInformer } from "../informer/informer.ts";
import { WorkQueue } from "../informer/work-queue.ts";
import type { RequeueAfter } from "../informer/work-queue.ts";
import { conditionOf } from "../pod/condition.ts";
import { isFinished } from "../pod/state.ts";
import { FIELD_MANAGER } from "../controller/context.ts";
import type { ControllerContext } from "../controller/context.ts";

/** How long pods of a missing node are kept, in milliseconds: the node may be recreated with the same name. */
const QUARANTINE_TIME = 40_000;

/** Starts the controller; it stops with the signal. */
export function startPodGcController(context: ControllerContext, signal: AbortSignal): void {
  const { api, clock, log } = context;
  const nodes = new Map<string, Node>();
  const pods = new Map<string, Map<string, Pod>>();
  const missing = new Map<string, number>();
  let isSynced = false;
  const reconcile = async (name: string): Promise<RequeueAfter> => {
    const node = nodes.get(name);
    if (!isSynced || node !== undefined || pods.get(name) === undefined) {
      missing.delete(name);
      for (const pod of node === undefined ? [] : terminatingPodsOn(node, pods.get(name))) await remove(context, pod);
      return undefined;
    }
    const since = missing.get(name) ?? clock.now();
    missing.set(name, since);
    const left = since + QUARANTINE_TIME - clock.now();
    if (left > 0) return left;
    for (const pod of pods.get(name)?.values() ?? []) await remove(context, pod, "PodGC: node no longer exists");
    return undefined;
  };
  const queue = new WorkQueue({ name: "pod garbage collector", clock, log, reconcile });
  const podListener = {
    put(pod: Pod): void {
      const name = pod.spec?.nodeName ?? "";
      if (name === "") return;
      const onNode = pods.get(name) ?? new Map<string, Pod>();
      pods.set(name, onNode.set(pod.metadata.uid, pod));
      if (isSynced && (!nodes.has(name) || pod.metadata.deletionTimestamp !== undefined)) queue.add(name);
    },
    removed(pod: Pod): void {
      const name = pod.spec?.nodeName ?? "";
      const onNode = pods.get(name);
      onNode?.delete(pod.metadata.uid);
      if (onNode?.size === 0) pods.delete(name);
    },
  };
  const nodeListener = {
    put(node: Node): void {
      nodes.set(node.metadata.name, node);
      if (isSynced && isOutOfService(node)) queue.add(node.metadata.name);
    },
    removed({ metadata }: Node): void {
      nodes.delete(metadata.name);
      queue.add(metadata.name);
    },
    synced(): void {
      isSynced = true;
      for (const name of pods.keys()) queue.add(name);
    },
  };
  void runInformer<Node>({ api, kind: Node, clock, signal, listener: nodeListener });
  void runInformer<Pod>({ api, kind: Pod, clock, signal, listener: podListener });
  signal.addEventListener("abort", () => queue.stop(), { once: true });
}

/** Whether the user declared the node out of service with the taint: its pods do not run any more. */
function isOutOfService({ spec, status }: Node): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true;
  return !isReady && spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") === true;
}

function terminatingPodsOn(node: Node, pods: ReadonlyMap<string, Pod> = new Map()): readonly Pod[] {
  if (!isOutOfService(node)) return [];
  return [...pods.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
}

async function remove({ client, clock }: ControllerContext, pod: Pod, message?: string): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  try {
    if (!isFinished(pod)) {
      const fields = { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC" } as const;
      const conditions =
        message === undefined ? {} : { conditions: [conditionOf(pod, { ...fields, message }, clock.wall())] };
      const strategic = { status: { phase: "Failed", ...conditions } };
      await client.patch(
        Pod,
        { namespace, name },
        { strategic },
        { subresource: "status", fieldManager: FIELD_MANAGER },
      );
    }
    await client.delete(Pod, { namespace, name, gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
