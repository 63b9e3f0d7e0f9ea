/**
 * A rejected step is reported in the status and retried at a fixed interval. The runtime's backoff would grow, although no watch event
 * tells that a quota was raised or that a member accepts changes again, and a cluster may be waiting for that.
 */
import { requeue } from "capstan";
import type { Requeue } from "capstan";
import { EtcdError, isPassing } from "../etcd/index.ts";
import type { ActionContext } from "./reconcile-context.ts";

/** The reason of `Degraded` while the API server or etcd rejects a request of the operator. */
export const rejectedReason = "Refused";

/** The requeue after a transient error of etcd or an error that persists; undefined for other errors: the runtime's backoff applies. */
export function toRejectedStep(context: ActionContext, error: unknown): Requeue | undefined {
  if (error instanceof EtcdError && isPassing(error)) return requeue("2s", { reason: error.message });
  if (!(error instanceof Error) || isTransient(error)) return undefined;
  const message = describeRejection(error);
  if (wasRejected(context) !== message) context.event("Warning", rejectedReason, message);
  context.status.condition("Degraded", true, { reason: rejectedReason, message });
  return requeue("15s", { reason: message });
}

/** The message for an error that persists. */
export function describeRejection(error: Error): string {
  if (error instanceof EtcdError) return `etcd refuses: ${error.message}${authCodes.has(error.code) ? authRemedy : ""}`;
  return `${isRejection(error) ? "the API server refuses: " : ""}${error.message}`;
}

/** With authentication enabled, any certificate may read the status, so missing permissions show only at a change. */
const authCodes: ReadonlySet<EtcdError["code"]> = new Set(["Unauthenticated", "Denied", "UserNotFound"]);
const authRemedy =
  " (if authentication is on, the certificate that the operator shows must be that of root, or of a user with that role)";

/** A step succeeded: an earlier rejection is over, unless the status still records a rejected template. */
export function clearRejectedStep(context: ActionContext): void {
  const before = context.status.formRefused === undefined ? wasRejected(context) : undefined;
  if (before !== undefined) context.event("Normal", "Resolved", `no longer: ${before}`);
}

function wasRejected({ seen }: ActionContext): string | undefined {
  const former = seen.object.status?.conditions?.find(({ type }) => type === "Degraded");
  return former?.status === "True" && former.reason === rejectedReason ? former.message : undefined;
}

/** A retry may succeed without any change: another writer was first, or a server is unavailable. */
function isTransient(error: Error): boolean {
  if (error instanceof EtcdError) return isPassing(error);
  if (error.name === "AbortError") return true;
  return "code" in error && typeof error.code === "string" && transientCodes.has(error.code);
}

const transientCodes: ReadonlySet<string> = new Set([
  "AgentImageUnknown",
  "AlreadyExists",
  "Conflict",
  "ConnectionLost",
  "DeadlineExceeded",
  "Expired",
  "Gone",
  "InternalError",
  "NotFound",
  "ServerTimeout",
  "ServiceUnavailable",
  "Timeout",
  "TooManyRequests",
  "Unreachable",
]);

/** A retry cannot help until something changes: the API server rejected the request, or an object for it is missing. */
export function isImpossible(error: unknown): error is Error {
  return error instanceof Error && !(error instanceof EtcdError) && !isTransient(error);
}

/** The API server rejected the request: an immediate retry would not help. */
export function isRejection(error: unknown): error is Error {
  return error instanceof Error && "code" in error && (error.code === "Forbidden" || error.code === "Invalid");
}
