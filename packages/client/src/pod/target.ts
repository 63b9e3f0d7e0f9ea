/** The target of pod calls. */
import type { Attempt } from "../error/attempt.ts";
import type { AnyKind } from "../call/target.ts";
import { attemptOf } from "../call/read.ts";

/** The kind of pods; the client does not depend on the generated kinds. */
export const pods: AnyKind = { group: "", version: "v1", kind: "Pod", plural: "pods", scope: "Namespaced" };

/** A pod, and optionally one of its containers. */
export interface PodTarget {
  readonly namespace: string;
  readonly name: string;
}

/** An attempt to open a socket to a pod. */
export function connectAttempt({ namespace, name }: PodTarget, subresource: string): Attempt {
  return attemptOf("connect", pods, { namespace, name, subresource });
}
