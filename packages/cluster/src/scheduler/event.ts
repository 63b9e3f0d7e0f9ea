/** Records what the scheduler did as an event of the pod. */
import { Event } from "@capstan/kinds/events.k8s.io/v1";
import type { Pod } from "@capstan/kinds/v1";
import { formatMicroTime } from "@capstan/model";
import type { ControllerContext } from "../controller/context.ts";

/** What happened. */
export interface SchedulerEvent {
  readonly type: "Normal" | "Warning";
  readonly reason: "Scheduled" | "FailedScheduling" | "Preempted";
  readonly note: string;
}

const actions: { readonly [reason in SchedulerEvent["reason"]]: string } = {
  Scheduled: "Binding",
  FailedScheduling: "Scheduling",
  Preempted: "Preempting",
};

/** Records it; an event that cannot be recorded is no reason to fail. */
export async function recordEvent(
  { client, clock, random, log }: ControllerContext,
  pod: Pod,
  note: SchedulerEvent,
): Promise<void> {
  const { namespace = "", name, uid, resourceVersion } = pod.metadata;
  const event = {
    metadata: { namespace, name: eventName(name, clock.wall(), random()) },
    eventTime: formatMicroTime(clock.wall()),
    reportingController: "default-scheduler",
    reportingInstance: "default-scheduler",
    action: actions[note.reason],
    regarding: { apiVersion: "v1", kind: "Pod", namespace, name, uid, resourceVersion },
    ...note,
  };
  await client.create(Event, event).catch((error: unknown) => log.debug("could not record an event", { error }));
}

/** As all recorders name events: after the object and the moment, to the nanosecond; what clocks do not tell is left to chance. */
function eventName(name: string, milliseconds: number, fraction: number): string {
  const nanoseconds = BigInt(Math.floor(milliseconds)) * 1_000_000n + BigInt(Math.floor(fraction * 1_000_000));
  return `${name.slice(0, 200)}.${nanoseconds.toString(16)}`;
}
