/** Records scheduler events for pods. */
import { Event } from "@capstan/kinds/events.k8s.io/v1";
import type { Pod } from "@capstan/kinds/v1";
import { formatMicroTime } from "@capstan/model";
import type { ControllerContext } from "../controller/context.ts";

/** An event of the scheduler. */
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

/** Records the event. A failure is only logged. */
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
  await client.create(Event, event).catch((error: unknown) => log.debug("cannot record an event", { error }));
}

/** The usual name of an event: the object and the time in nanoseconds. The clock has milliseconds; random digits fill the rest. */
function eventName(name: string, milliseconds: number, fraction: number): string {
  const nanoseconds = BigInt(Math.floor(milliseconds)) * 1_000_000n + BigInt(Math.floor(fraction * 1_000_000));
  return `${name.slice(0, 200)}.${nanoseconds.toString(16)}`;
}
