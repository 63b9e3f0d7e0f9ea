/** The error for a kind if its cache cannot be filled, because an object cannot be read. */
import { StatusError, toFailure, type KubeObject } from "@capstan/model";

export function notReady({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">, why: Error): StatusError {
  const message = `storage is (re)initializing: failed to list ${apiVersion}, Kind=${kind}: ${why.message}`;
  return new StatusError(
    toFailure({ code: 429, reason: "TooManyRequests", message, details: { retryAfterSeconds: 1 } }),
  );
}
