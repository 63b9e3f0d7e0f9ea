/** The time that a client gives a request: it must be a duration, whatever is done with it. */
import { apiErrors, parseDuration, ParseError, toFailure, toGoJson } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { RequestInfo } from "./request-info.ts";

/** Requests that go on have their own ways to say for how long. */
const longRunning = new Set(["watch", "proxy", "connect"]);
const longDoors = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** In nanoseconds: no request is done in so short a time. */
const tooShort = 1_000_000n;

/** Refuses a `timeout` that is no duration; tells whether it has passed before anything can be done. None means as long as it takes. */
export function isOverAtOnce(info: RequestInfo, query: URLSearchParams): boolean {
  const timeout = query.get("timeout") ?? "";
  if (timeout === "" || goesOn(info)) return false;
  try {
    const duration = parseDuration(timeout);
    return duration > 0n && duration <= tooShort;
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw apiErrors.badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}

/** Whether a request may take as long as it likes. */
export function goesOn(info: RequestInfo): boolean {
  return info.type === "resource" && (longRunning.has(info.verb) || longDoors.has(info.subresource));
}

/** What is told when the time is over: a Status that does not say that it is one, as it is written past all encoders. */
export function timedOut(): Answer {
  const message = "Timeout: request did not complete within the allotted timeout";
  const {
    kind: _kind,
    apiVersion: _version,
    ...status
  } = toFailure({ code: 504, reason: "Timeout", message, details: {} });
  return { status: 504, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${toGoJson(status)}\n` };
}
