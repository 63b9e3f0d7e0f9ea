/** The `timeout` parameter of a request, which must be a valid duration. */
import { apiErrors, parseDuration, ParseError, toFailure, toGoJson } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { RequestInfo } from "./request-info.ts";

/** Long-running requests have other parameters for their duration. */
const longRunning = new Set(["watch", "proxy", "connect"]);
const longRunningSubresources = new Set(["attach", "exec", "proxy", "log", "portforward"]);

/** In nanoseconds: a request cannot finish within this time. */
const tooShort = 1_000_000n;

/** Throws 400 for an invalid `timeout`. Returns whether it is too short for any request. Default: no timeout. */
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

/** Whether a request is long-running. */
export function goesOn(info: RequestInfo): boolean {
  return info.type === "resource" && (longRunning.has(info.verb) || longRunningSubresources.has(info.subresource));
}

/** The response for a timeout: a Status without kind and apiVersion, because kube-apiserver writes it without an encoder. */
export function timedOut(): Answer {
  const message = "Timeout: request did not complete within the allotted timeout";
  const {
    kind: _kind,
    apiVersion: _version,
    ...status
  } = toFailure({ code: 504, reason: "Timeout", message, details: {} });
  return { status: 504, headers: { "content-type": "text/plain; charset=utf-8" }, body: `${toGoJson(status)}\n` };
}
