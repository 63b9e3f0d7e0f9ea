/**
 * Writes the status of pods: one write at a time for each pod, always the newest status, with retries until it is accepted or the pod is
 * gone.
 */
import type { BoundPod } from "../pod/containers.ts";
import { isApiError, type Client, type Clock } from "@capstan/client";
import { isDeepEqual } from "@capstan/model";
import { Pod, type PodStatus } from "@capstan/kinds/v1";

/** Writes the status of pods. */
export interface Reporter {
  /** Writes what has changed since the last write, or the whole status. */
  report(pod: BoundPod, status: PodStatus, extent?: "changes" | "whole"): void;
  /** Resolves when the reported status of a pod has been written. */
  written(uid: string): Promise<void>;
}

interface Lane {
  next: { readonly pod: BoundPod; readonly status: PodStatus } | undefined;
  /** The status that the server last accepted. */
  sent: PodStatus | undefined;
  running: Promise<void>;
}

const retryDelay = 1000;

/** Writes statuses to an API server. */
export function reporterTo(client: Client, clock: Clock): Reporter {
  const lanes = new Map<string, Lane>();
  const drain = async (uid: string, lane: Lane): Promise<void> => {
    while (lane.next !== undefined) {
      const { pod, status } = lane.next;
      lane.next = undefined;
      try {
        await send(client, pod, patchOf(status, lane.sent));
        lane.sent = status;
      } catch (error) {
        if (isApiError(error, "NotFound", "Conflict", "Invalid")) break;
        lane.next ??= { pod, status };
        await new Promise<void>((resolve) => void clock.later(retryDelay, resolve));
      }
    }
    if (lanes.get(uid) === lane && lane.next === undefined) lane.running = Promise.resolve();
  };
  return {
    report(pod, status, extent = "changes") {
      const uid = pod.metadata.uid;
      const known = lanes.get(uid);
      if (known !== undefined && extent === "whole") known.sent = undefined;
      if (known?.next !== undefined) {
        known.next = { pod, status };
        return;
      }
      const lane = known ?? { next: undefined, sent: undefined, running: Promise.resolve() };
      lanes.set(uid, lane);
      lane.next = { pod, status };
      // Statuses of the same tick are written together: a pod that starts at once needs only one write.
      lane.running = lane.running
        .then(() => new Promise<void>((resolve) => void setImmediate(resolve)))
        .then(() => drain(uid, lane));
    },
    async written(uid) {
      await lanes.get(uid)?.running;
      lanes.delete(uid);
    },
  };
}

async function send(client: Client, pod: BoundPod, status: object): Promise<void> {
  const { name, namespace = "", uid } = pod.metadata;
  const patch = { strategic: { metadata: { uid }, status } };
  await client.patch(Pod, { name, namespace }, patch, { subresource: "status" });
}

/**
 * What has changed since the last write. Conditions are merged by type, so that those of other writers stay; lists of addresses are
 * replaced.
 */
function patchOf(status: PodStatus, before: PodStatus | undefined): object {
  const names = new Set([...Object.keys(status), ...Object.keys(before ?? {})]) as Set<keyof PodStatus>;
  const patch: { [field: string]: unknown } = {};
  for (const name of names) {
    const value = status[name];
    if (before !== undefined && isDeepEqual(value, before[name])) continue;
    if (name === "podIPs" || name === "hostIPs") patch[name] = replaced(value as readonly object[]);
    else if (name === "conditions") patch[name] = mergedConditions(status, before);
    else patch[name] = value ?? null;
  }
  return patch;
}

/** Conditions that no longer apply are deleted by their type. */
function mergedConditions({ conditions = [] }: PodStatus, before: PodStatus | undefined): readonly object[] {
  const gone = (before?.conditions ?? []).filter(({ type }) => !conditions.some((one) => one.type === type));
  // An earlier reason or message must not remain when the condition has none now.
  const told = conditions.map((one) => ({ reason: null, message: null, ...one }));
  return [...told, ...gone.map(({ type }) => ({ $patch: "delete", type }))];
}

function replaced(items: readonly object[] | undefined): readonly object[] {
  return [{ $patch: "replace" }, ...(items ?? [])];
}
