/** Turns what sockets, TLS and HTTP throw into errors of ours, once, at the border. */
import { ApiError } from "../error/api-error.ts";
import { ConnectionError } from "../error/connection-error.ts";
import type { ConnectionErrorCode } from "../error/connection-error.ts";

/** When a connection failed: before it stood, with a request that cannot have been seen, or with one that may have been. */
export type Phase = "connecting" | "unsent" | "sent";

/** A failure of the connection to a server; what already is an error of ours stays as it is. */
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

/** OpenSSL's names for certificates that do not pass. */
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

/** The `code` that Node gives its errors. */
export function errorCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !("code" in error)) return undefined;
  return typeof error.code === "string" ? error.code : undefined;
}
