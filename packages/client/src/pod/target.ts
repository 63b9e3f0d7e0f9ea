/** Pods, as far as calls on them need to know. */
import type { Attempt } from "../error/attempt.ts";
import type { AnyKind } from "../call/target.ts";
import { attemptOf } from "../call/read.ts";

/** The kind of pods, by its names: the client depends on no generated kinds. */
export const pods: AnyKind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

/** A pod, and one of its containers where there are several. */
export interface PodTarget {
  readonly namespace: string;
  readonly name: string;
}

/** An attempt to open a socket to a pod. */
export function connectAttempt({ namespace, name }: PodTarget, subresource: string): Attempt {
  return attemptOf("connect", pods, { namespace, name, subresource });
}
