/** Converts errors of sockets, TLS and HTTP into connection errors. */
import { ApiError } from "../error/api-error.ts";
import { ConnectionError } from "../error/connection-error.ts";
import type { ConnectionErrorCode } from "../error/connection-error.ts";

/** When a connection failed: while connecting, before the request was sent, or after. */
export type Phase = "connecting" | "unsent" | "sent";

/** The error for a failed connection; an `ApiError` passes through. */
export function toConnectionError(cause: unknown, server: string, phase: Phase): ApiError {
  if (cause instanceof ApiError) return cause;
  const code = isTlsFailure(cause) ? "TlsFailed" : codeOfPhase[phase];
  return new ConnectionError({ code, server, sent: phase === "sent", cause });
}

const codeOfPhase: Readonly<Record<Phase, ConnectionErrorCode>> = {
  connecting: "Unreachable",
  unsent: "ConnectionLost",
  sent: "ConnectionLost",
};

/** OpenSSL's codes for rejected certificates. */
const certificateCodes: ReadonlySet<string> = new Set([
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "CERT_REVOKED",
  "CERT_REJECTED",
  "CERT_SIGNATURE_FAILURE",
  "CERT_UNTRUSTED",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "HOSTNAME_MISMATCH",
  "INVALID_CA",
  "INVALID_PURPOSE",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

function isTlsFailure(cause: unknown): boolean {
  const code = errorCode(cause);
  if (code === undefined) return false;
  return (
    certificateCodes.has(code) ||
    code.startsWith("ERR_SSL_") ||
    code.startsWith("ERR_TLS_") ||
    code === "EPROTO" ||
    code.startsWith("ERR_OSSL_")
  );
}

/** The `code` of a Node error. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
