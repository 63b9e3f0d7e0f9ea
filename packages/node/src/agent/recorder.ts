/** Writes events about pods; a repeated event increments the count of the first one. */
import type { BoundPod } from "../pod/containers.ts";
import type { Client, Clock } from "@capstan/client";
import { Event } from "@capstan/kinds/v1";
import type { PodEvent } from "../pod/events.ts";
import { formatTime } from "../pod/status.ts";

export interface Recorder {
  record(pod: BoundPod, event: PodEvent): void;
  /** Resolves when every event has been written or dropped. */
  written(): Promise<void>;
}

interface Told {
  readonly name: string;
  count: number;
}

/** How many different events are remembered for counting. */
const memory = 1000;

/** Records events at an API server. Events are best effort: an event that cannot be written is lost. */
export function recorderTo(client: Client, clock: Clock, nodeName: string): Recorder {
  const told = new Map<string, Told>();
  let queue = Promise.resolve();
  let serial = 0;
  const write = async (pod: BoundPod, event: PodEvent): Promise<void> => {
    const namespace = pod.metadata.namespace ?? "";
    const key = [pod.metadata.uid, event.reason, event.message, event.container].join("\n");
    const time = formatTime(clock.wall());
    const known = told.get(key);
    if (known !== undefined) {
      known.count++;
      const merge = { count: known.count, lastTimestamp: time };
      await client.patch(Event, { namespace, name: known.name }, { merge });
      return;
    }
    const suffix = (BigInt(Math.round(clock.wall())) * 1_000_000n + BigInt(serial++)).toString(16);
    const name = `${pod.metadata.name}.${suffix}`;
    told.set(key, { name, count: 1 });
    if (told.size > memory) for (const oldest of told.keys()) if (told.delete(oldest)) break;
    await client.create(Event, toEvent({ pod, event, name, namespace, time, nodeName }));
  };
  return {
    record(pod, event) {
      queue = queue.then(() => write(pod, event)).catch(() => {});
    },
    written: () => queue,
  };
}

interface Telling {
  readonly pod: BoundPod;
  readonly event: PodEvent;
  readonly name: string;
  readonly namespace: string;
  readonly time: string;
  readonly nodeName: string;
}

function toEvent({
  pod,
  event,
  name,
  namespace,
  time,
  nodeName,
}: Telling): Parameters<Client["create"]>[1] &
  Omit<Event, "apiVersion" | "kind" | "metadata"> & { metadata: { name: string; namespace: string } } {
  return {
    metadata: { name, namespace },
    involvedObject: {
      apiVersion: "v1",
      kind: "Pod",
      name: pod.metadata.name,
      namespace,
      uid: pod.metadata.uid,
      ...(pod.metadata.resourceVersion === undefined ? {} : { resourceVersion: pod.metadata.resourceVersion }),
      ...(event.container === undefined ? {} : { fieldPath: fieldPathOf(pod, event.container) }),
    },
    type: event.type,
    reason: event.reason,
    message: event.message,
    count: 1,
    firstTimestamp: time,
    lastTimestamp: time,
    source: { component: "kubelet", host: nodeName },
    reportingComponent: "kubelet",
    reportingInstance: nodeName,
  };
}

function fieldPathOf({ spec }: BoundPod, container: string): string {
  const has = (list: readonly { readonly name: string }[] | undefined): boolean =>
    list?.some(({ name }) => name === container) === true;
  const field = has(spec.initContainers)
    ? "initContainers"
    : has(spec.ephemeralContainers)
      ? "ephemeralContainers"
      : "containers";
  return `spec.${field}{${container}}`;
}
