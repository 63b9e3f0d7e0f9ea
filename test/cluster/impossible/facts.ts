/** The status and events of a pod, without what differs each time: ids, addresses, durations, names of the cluster. */
import type { ContainerState, ContainerStatus, Event, Pod } from "@capstan/kinds/v1";

/** The names of one cluster. */
export interface Volatile {
  readonly namespace: string;
  readonly node: string;
  /** The address of the test's registry in this cluster. */
  readonly registry: string;
}

/** Rewrites a text of a pod to the same form for any cluster. */
export type Rewrite = (text: string) => string;

/** The replacements in the texts of a pod. The patterns are for values that depend on a clock, a machine or chance. */
export function rewriteFor({ metadata, status }: Pod, { namespace, node, registry }: Volatile): Rewrite {
  const known: readonly (readonly [string, string])[] = [
    [metadata.uid, "<uid>"],
    [status?.podIP ?? "", "<ip>"],
    [registry, "<registry>"],
    [`${namespace}/`, "<namespace>/"],
    [`_${namespace}(`, "_<namespace>("],
    [` to ${node}`, " to <node>"],
  ];
  const patterns: readonly (readonly [RegExp, string])[] = [
    [/\b[0-9a-f]{64}\b/g, "<id>"],
    [/\bin \S+ \(\S+ including waiting\)\. Image size: \d+/g, "in <time>. Image size: <bytes>"],
    // The error for an unknown name or host depends on the machine's network.
    [/(Head "https:[^"]*": ).*$/g, "$1<why>"],
    [/(requested|used|capacity): \d+/g, "$1: <amount>"],
    // The folders of a kubelet, and the text of its recorder for similar events.
    [/[^"\s]*\/kubelet\/seccomp/g, "<kubelet>/seccomp"],
    [/^back-off \S+ /, "back-off <time> "],
    [/^\(combined from similar events\): /, ""],
  ];
  return (text) => {
    const named = known.reduce((all, [word, sign]) => (word === "" ? all : all.replaceAll(word, sign)), text);
    return patterns.reduce((all, [pattern, sign]) => all.replace(pattern, sign), named);
  };
}

/** The state of a pod. */
export function factsOf({ status = {} }: Pod, rewrite: Rewrite): object {
  const conditions = (status.conditions ?? [])
    .map(({ type, status: value, reason, message }) => ({ type, value, reason, message: message && rewrite(message) }))
    .toSorted((a, b) => (a.type < b.type ? -1 : 1));
  return {
    phase: status.phase,
    reason: status.reason,
    message: status.message && rewrite(status.message),
    qosClass: status.qosClass,
    hasAddress: status.podIP !== undefined,
    conditions,
    init: status.initContainerStatuses?.map((one) => containerFacts(one, rewrite)),
    containers: status.containerStatuses?.map((one) => containerFacts(one, rewrite)),
  };
}

/** Only the end of the pod, and not that of its containers. */
export function endOf({ status = {} }: Pod, rewrite: Rewrite): object {
  return { phase: status.phase, reason: status.reason, message: status.message && rewrite(status.message) };
}

function containerFacts(status: ContainerStatus, rewrite: Rewrite): object {
  const { name, state, lastState, ready, started, restartCount, image, containerID = "", imageID } = status;
  return {
    name,
    state: stateFacts(state, rewrite),
    lastState: stateFacts(lastState, rewrite),
    ready,
    started,
    // The number of restarts depends on the speed of the machine.
    hasRestarted: restartCount > 0,
    image: rewrite(image),
    hasId: containerID !== "",
    hasImage: imageID !== "",
  };
}

function stateFacts({ waiting, running, terminated }: ContainerState = {}, rewrite: Rewrite): object {
  if (waiting !== undefined) return { waiting: waiting.reason, message: waiting.message && rewrite(waiting.message) };
  if (running !== undefined) return { running: true };
  if (terminated === undefined) return {};
  const { reason, message, exitCode, signal, startedAt, containerID = "" } = terminated;
  const hasBegun = startedAt !== undefined && startedAt > "1970-01-01T00:00:00Z";
  return {
    terminated: reason,
    message: message && rewrite(message),
    exitCode,
    signal,
    hasBegun,
    hasId: containerID !== "",
  };
}

/**
 * Messages of a kubelet after two minutes of waiting, or on a slow machine: they do not concern the pod. (The API server refuses a token
 * while its watch has not reported yet where the pod runs; the kubelet retries. A kubelet mounts volumes of pods whose objects it does
 * not have yet, or not any more, and retries.)
 */
export const isLate: RegExp =
  /^ExceededGracePeriod|Unable to attach or mount volumes|failed to sync (configmap|secret) cache|token bound to a pod scheduled on a different node|no relationship found between node|object \S+ not registered/;

/** The events, each once, in alphabetical order. */
export function told(events: readonly Event[], pod: Pod, rewrite: Rewrite): readonly string[] {
  const own = events.filter(
    ({ involvedObject, reason = "", message = "" }) =>
      involvedObject.uid === pod.metadata.uid && !isLate.test(`${reason} ${message}`),
  );
  const lines = own.map(({ type, reason, message = "", involvedObject: { fieldPath = "" } }) =>
    [type, reason, fieldPath, rewrite(message)].join(" | "),
  );
  return [...new Set(lines)].toSorted();
}
