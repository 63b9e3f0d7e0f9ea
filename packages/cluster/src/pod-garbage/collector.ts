/** Removes pods of nodes that are gone, or out of service: no kubelet will ever end them. */
import { isApiError } from "@capstan/client";
import { Node, Pod } from "@capstan/kinds/v1";
import { follow } from "../follow/follow.ts";
import { Worker } from "../follow/worker.ts";
import type { Later } from "../follow/worker.ts";
import { conditionOf } from "../pod/condition.ts";
import { isFinished } from "../pod/state.ts";
import { MANAGER } from "../setting.ts";
import type { Setting } from "../setting.ts";

/** A node may be replaced by one of the same name: its pods are given this long, in milliseconds. */
const QUARANTINE = 40_000;

/** Starts to look for such pods; it ends with the signal. */
export function startPodGarbageCollector(setting: Setting, signal: AbortSignal): void {
  const { api, clock, log } = setting;
  const nodes = new Map<string, Node>();
  const pods = new Map<string, Map<string, Pod>>();
  const missing = new Map<string, number>();
  let isSynced = false;
  const work = async (name: string): Promise<Later> => {
    const node = nodes.get(name);
    if (!isSynced || node !== undefined || pods.get(name) === undefined) {
      missing.delete(name);
      for (const pod of node === undefined ? [] : leftOn(node, pods.get(name))) await remove(setting, pod);
      return undefined;
    }
    const since = missing.get(name) ?? clock.now();
    missing.set(name, since);
    const left = since + QUARANTINE - clock.now();
    if (left > 0) return left;
    for (const pod of pods.get(name)?.values() ?? []) await remove(setting, pod, "PodGC: node no longer exists");
    return undefined;
  };
  const worker = new Worker({ name: "pod garbage collector", clock, log, work });
  const podListener = {
    put(pod: Pod): void {
      const name = pod.spec?.nodeName ?? "";
      if (name === "") return;
      const there = pods.get(name) ?? new Map<string, Pod>();
      pods.set(name, there.set(pod.metadata.uid, pod));
      if (isSynced && (!nodes.has(name) || pod.metadata.deletionTimestamp !== undefined)) worker.add(name);
    },
    removed(pod: Pod): void {
      const name = pod.spec?.nodeName ?? "";
      const there = pods.get(name);
      there?.delete(pod.metadata.uid);
      if (there?.size === 0) pods.delete(name);
    },
  };
  const nodeListener = {
    put(node: Node): void {
      nodes.set(node.metadata.name, node);
      if (isSynced && isOutOfService(node)) worker.add(node.metadata.name);
    },
    removed({ metadata }: Node): void {
      nodes.delete(metadata.name);
      worker.add(metadata.name);
    },
    synced(): void {
      isSynced = true;
      for (const name of pods.keys()) worker.add(name);
    },
  };
  void follow<Node>({ api, kind: Node, clock, signal, listener: nodeListener });
  void follow<Pod>({ api, kind: Pod, clock, signal, listener: podListener });
  signal.addEventListener("abort", () => worker.stop(), { once: true });
}

/** Somebody has said that the node is off and stays off: whoever is to end there has ended. */
function isOutOfService({ spec, status }: Node): boolean {
  const isReady = status?.conditions?.some(({ type, status: value }) => type === "Ready" && value === "True") === true;
  return !isReady && spec?.taints?.some(({ key }) => key === "node.kubernetes.io/out-of-service") === true;
}

function leftOn(node: Node, pods: ReadonlyMap<string, Pod> = new Map()): readonly Pod[] {
  if (!isOutOfService(node)) return [];
  return [...pods.values()].filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
}

async function remove({ client, clock }: Setting, pod: Pod, message?: string): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  try {
    if (!isFinished(pod)) {
      const told = { type: "DisruptionTarget", status: "True", reason: "DeletionByPodGC" } as const;
      const conditions =
        message === undefined ? {} : { conditions: [conditionOf(pod, { ...told, message }, clock.wall())] };
      const strategic = { status: { phase: "Failed", ...conditions } };
      await client.patch(Pod, { namespace, name }, { strategic }, { subresource: "status", fieldManager: MANAGER });
    }
    await client.delete(Pod, { namespace, name, gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
