/** Wraps a handler so that its requests are reported to the audit log. */
import { isLive, type Answer, type LiveBody, type Sink } from "../answer.ts";
import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import type { Handler } from "../handler.ts";
import { toAuditEvent, type AuditEvent, type AuditStage } from "./event.ts";
import { beginTrail, type AuditTrail } from "./trail.ts";

export interface Auditing {
  readonly clock: Clock;
  readonly tell: (event: AuditEvent) => void;
}

/** Reports each request when its response is complete, and a long-running one also when its response starts. */
export function audited(handler: Handler, { clock, tell }: Auditing): Handler {
  return async (call, trail = beginTrail()) => {
    const received = clock.wall();
    const answer = await handler(call, trail);
    trail.status = answer.told;
    const told = (stage: AuditStage): void =>
      tell(toAuditEvent({ call, trail, stage, code: answer.status, received, now: clock.wall() }));
    // A request that fails authentication gets no later event, as in kube-apiserver.
    const isUnknown = trail.user === undefined;
    if (isUnknown || isLong(trail)) told("ResponseStarted");
    return isUnknown ? answer : whenOver(call, answer, () => told("ResponseComplete"));
  };
}

const longRunningSubresources = new Set(["attach", "exec", "log", "portforward", "proxy"]);

function isLong({ info }: AuditTrail): boolean {
  return info?.type === "resource" && (info.verb === "watch" || longRunningSubresources.has(info.subresource));
}

const switching = 101;

/** Calls back once, when the whole response has been handed over or the client has disconnected. */
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
