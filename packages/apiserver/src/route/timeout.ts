/** The time that a client gives a request: it must be a duration, whatever is done with it. */
import { apiErrors, parseDuration, ParseError } from "@capstan/model";
import type { RequestInfo } from "./request-info.ts";

/** Requests that go on have their own ways to say for how long. */
const longRunning = new Set(["watch", "proxy", "connect"]);
const longDoors = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** Refuses a `timeout` that is no duration. */
export function checkTimeout(info: RequestInfo, query: URLSearchParams): void {
  const timeout = query.get("timeout") ?? "";
  if (timeout === "" || goesOn(info)) return;
  try {
    parseDuration(timeout);
  } catch (error) {
    if (!(error instanceof ParseError)) throw error;
    throw apiErrors.badRequest(`invalid timeout specified in the request URL - ${error.message}`);
  }
}

function goesOn(info: RequestInfo): boolean {
  return info.type === "resource" && (longRunning.has(info.verb) || longDoors.has(info.subresource));
}
