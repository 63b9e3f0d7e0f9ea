/** The state of a pod, read from its status. */
import type { Pod } from "@capstan/kinds/v1";
import { findCondition, parseTime, toMilliseconds } from "@capstan/model";

/** Whether a pod is neither finished nor terminating. */
export function isActive({ metadata, status }: Pod): boolean {
  return metadata.deletionTimestamp === undefined && status?.phase !== "Succeeded" && status?.phase !== "Failed";
}

/** Whether a pod has finished. */
export function isFinished({ status }: Pick<Pod, "status">): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Whether a pod is ready. */
export function isReady({ status }: Pod): boolean {
  return findCondition(status?.conditions, "Ready")?.status === "True";
}

/** Since when a pod is ready, in milliseconds since 1970. */
export function readySince({ status }: Pod): number | undefined {
  const condition = findCondition(status?.conditions, "Ready");
  if (condition?.status !== "True" || condition.lastTransitionTime === undefined) return undefined;
  return millisecondsOf(condition.lastTransitionTime);
}

/** When a ready pod becomes available; undefined for a pod that is not ready. */
export function availableFrom(pod: Pod, minReadySeconds: number): number | undefined {
  if (!isReady(pod)) return undefined;
  if (minReadySeconds === 0) return 0;
  const since = readySince(pod);
  return since === undefined ? undefined : since + minReadySeconds * 1000;
}

/** Whether a pod has been ready for minReadySeconds. */
export function isAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  const from = availableFrom(pod, minReadySeconds);
  return from !== undefined && from <= now;
}

/** The time until the next of these pods becomes available, in milliseconds. */
export function untilNextAvailable(pods: readonly Pod[], minReadySeconds: number, now: number): number | undefined {
  let next: number | undefined;
  for (const pod of pods) {
    const from = availableFrom(pod, minReadySeconds);
    if (from !== undefined && from > now && (next === undefined || from - now < next)) next = from - now;
  }
  return next;
}

/** A time of an object in milliseconds since 1970. */
export function millisecondsOf(time: string): number {
  return toMilliseconds(parseTime(time));
}
