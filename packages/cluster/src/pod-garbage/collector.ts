/** Removes pods of nodes that are gone: no kubelet will ever end them. */
import { isApiError } from "@capstan/client";
import { Node, Pod } from "@capstan/kinds/v1";
import { formatTime } from "@capstan/model";
import { follow } from "../follow/follow.ts";
import { Worker } from "../follow/worker.ts";
import type { Later } from "../follow/worker.ts";
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
    if (!isSynced || nodes.has(name) || pods.get(name) === undefined) return void missing.delete(name);
    const since = missing.get(name) ?? clock.now();
    missing.set(name, since);
    const left = since + QUARANTINE - clock.now();
    if (left > 0) return left;
    for (const pod of pods.get(name)?.values() ?? []) await remove(setting, pod);
    return undefined;
  };
  const worker = new Worker({ name: "pod garbage collector", clock, log, work });
  const podListener = {
    put(pod: Pod): void {
      const name = pod.spec?.nodeName ?? "";
      if (name === "") return;
      const there = pods.get(name) ?? new Map<string, Pod>();
      pods.set(name, there.set(pod.metadata.uid, pod));
      if (isSynced && !nodes.has(name)) worker.add(name);
    },
    removed(pod: Pod): void {
      const name = pod.spec?.nodeName ?? "";
      const there = pods.get(name);
      there?.delete(pod.metadata.uid);
      if (there?.size === 0) pods.delete(name);
    },
  };
  const nodeListener = {
    put: (node: Node) => void nodes.set(node.metadata.name, node),
    removed({ metadata }: Node): void {
      nodes.delete(metadata.name);
      worker.add(metadata.name);
    },
    synced(): void {
      isSynced = true;
      for (const name of pods.keys()) if (!nodes.has(name)) worker.add(name);
    },
  };
  void follow<Node>({ api, kind: Node, clock, signal, listener: nodeListener });
  void follow<Pod>({ api, kind: Pod, clock, signal, listener: podListener });
  signal.addEventListener("abort", () => worker.stop(), { once: true });
}

async function remove({ client, clock }: Setting, pod: Pod): Promise<void> {
  const { namespace = "", name, uid } = pod.metadata;
  const condition = {
    type: "DisruptionTarget",
    status: "True",
    reason: "DeletionByPodGC",
    message: "PodGC: node no longer exists",
    lastTransitionTime: formatTime(clock.wall()),
  };
  try {
    if (!isFinished(pod)) {
      const strategic = { status: { phase: "Failed", conditions: [condition] } };
      await client.patch(Pod, { namespace, name }, { strategic }, { subresource: "status", fieldManager: MANAGER });
    }
    await client.delete(Pod, { namespace, name, gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  }
}
