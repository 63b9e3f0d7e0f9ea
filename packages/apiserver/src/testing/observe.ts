/** For tests: records requests to a server, and injects delays, errors and lost responses. */
import { StatusError, toFailure } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { beginTrail, type AuditTrail } from "../audit/trail.ts";
import type { Call } from "../call.ts";
import type { Clock } from "../clock.ts";
import { respondStatus } from "../encode/respond.ts";
import type { Handler } from "../handler.ts";

/** A recorded request. */
export interface LoggedRequest {
  readonly method: string;
  readonly url: string;
  readonly userAgent: string;
  readonly status: number;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The audit annotations: why it was allowed, and those of webhooks and policies. */
  readonly annotations: { readonly [key: string]: string };
}

/** An injected fault. */
export type Fault =
  /** Responds only after this many milliseconds of the server's clock. */
  | { readonly type: "delay"; readonly milliseconds: number }
  /** Responds with a Status without processing the request. */
  | { readonly type: "error"; readonly code: number; readonly reason?: string; readonly message?: string }
  /** Processes the request, but drops the response. */
  | { readonly type: "drop" }
  /** Reads see the state of a revision, as on a server that lags behind; watches start there and catch up. Writes are not affected. */
  | { readonly type: "stale"; readonly revision: number };

/** Selects the requests that fail; the first returned fault applies. */
export type FaultPlan = (call: Call) => Fault | undefined;

/** Records requests and injects faults. */
export interface Observer {
  readonly handle: Handler;
  /** Starts to record; the returned list grows with every request. */
  record(): readonly LoggedRequest[];
  /** Activates a fault plan until the returned function is called. */
  inject(plan: FaultPlan): () => void;
}

/** The connection was lost before the response arrived. */
export class ResponseLostError extends Error {
  override readonly name = "ResponseLostError";
  readonly code = "AnswerLost";
}

/** The observed server: its handler, and a handler for past revisions. */
export interface Observed {
  readonly handler: Handler;
  readonly handlerAt: (revision: number) => Handler;
  readonly clock: Clock;
}

/** Wraps a handler. Without a recording or a plan it adds nothing. */
export function observe(observed: Observed): Observer {
  const { handler, clock } = observed;
  const logs: LoggedRequest[][] = [];
  const plans = new Set<FaultPlan>();
  return {
    async handle(call, trail = beginTrail()) {
      const answer = plans.size === 0 ? await handler(call, trail) : await withFaults(observed, plans, { call, trail });
      if (logs.length > 0) {
        const entry = { ...toLogged(call, answer, clock.wall()), annotations: trail.annotations };
        for (const log of logs) log.push(entry);
      }
      return answer;
    },
    record() {
      const log: LoggedRequest[] = [];
      logs.push(log);
      return log;
    },
    inject(plan) {
      plans.add(plan);
      return () => plans.delete(plan);
    },
  };
}

async function withFaults(
  { handler, handlerAt, clock }: Observed,
  plans: ReadonlySet<FaultPlan>,
  { call, trail }: { readonly call: Call; readonly trail: AuditTrail },
): Promise<Answer> {
  const fault = firstFault(plans, call);
  switch (fault?.type) {
    case undefined:
      return handler(call, trail);
    case "delay":
      await new Promise<void>((resolve) => void clock.later(fault.milliseconds, resolve));
      return handler(call, trail);
    case "error":
      return faultyAnswer(fault);
    case "drop":
      await handler(call, trail);
      throw new ResponseLostError("the answer was dropped by a fault plan");
    case "stale":
      return call.method === "GET" ? handlerAt(fault.revision)(call, trail) : handler(call, trail);
  }
}

function firstFault(plans: ReadonlySet<FaultPlan>, call: Call): Fault | undefined {
  for (const plan of plans) {
    const fault = plan(call);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function faultyAnswer({
  code,
  reason = "InternalError",
  message = "injected fault",
}: Fault & { type: "error" }): Answer {
  const { status } = new StatusError(toFailure({ code, reason: reason as "InternalError", message }));
  return respondStatus(status, { format: "json", transform: undefined, pretty: false });
}

function toLogged(call: Call, answer: Answer, time: number): Omit<LoggedRequest, "annotations"> {
  const agent = call.headers["user-agent"];
  return {
    method: call.method,
    url: call.url,
    userAgent: typeof agent === "string" ? agent : "",
    status: answer.status,
    time,
  };
}
