/** A handler whose requests are told to whoever keeps an audit log. */
import { isLive, type Answer, type LiveBody, type Sink } from "../answer.ts";
import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import type { Handler } from "../handler.ts";
import { toAuditEvent, type AuditEvent, type AuditStage } from "./event.ts";
import { beginTrail, type AuditTrail } from "./trail.ts";

/** Who is told, and what time it is. */
export interface Auditing {
  readonly clock: Clock;
  readonly tell: (event: AuditEvent) => void;
}

/** Tells of each request when its answer is over; of one that may go on for long, also when it has begun. */
export function audited(handler: Handler, { clock, tell }: Auditing): Handler {
  return async (call, trail = beginTrail()) => {
    const received = clock.now();
    const answer = await handler(call, trail);
    trail.status = answer.told;
    const told = (stage: AuditStage): void =>
      tell(toAuditEvent({ call, trail, stage, code: answer.status, received, now: clock.now() }));
    // Of credentials that are refused nothing more is told: the real server ends there.
    const isUnknown = trail.user === undefined;
    if (isUnknown || isLong(trail)) told("ResponseStarted");
    return isUnknown ? answer : whenOver(call, answer, () => told("ResponseComplete"));
  };
}

const longDoors = new Set(["attach", "exec", "log", "portforward", "proxy"]);

function isLong({ info }: AuditTrail): boolean {
  return info?.type === "resource" && (info.verb === "watch" || longDoors.has(info.subresource));
}

const switching = 101;

/** Calls back once, when the last of the answer has been handed over or the client has gone. */
function whenOver(call: Call, answer: Answer, over: () => void): Answer {
  const { body, status } = answer;
  if (status === switching) {
    call.signal.addEventListener("abort", over, { once: true });
    return answer;
  }
  if (isLive(body)) return { ...answer, body: ending(body, over) };
  over();
  return answer;
}

function ending(body: LiveBody, over: () => void): LiveBody {
  let isOver = false;
  const finish = (): void => {
    if (!isOver) over();
    isOver = true;
  };
  return (sink) => {
    const stop = body(endingSink(sink, finish));
    return () => {
      stop();
      finish();
    };
  };
}

function endingSink(sink: Sink, finish: () => void): Sink {
  return {
    write: (chunk) => sink.write(chunk),
    get isFull() {
      return sink.isFull;
    },
    whenDrained: (callback) => sink.whenDrained(callback),
    end() {
      sink.end();
      finish();
    },
  };
}
