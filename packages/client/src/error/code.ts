/** Every way in which a request can fail, as a closed list. */

/** What the server says with the `reason` of a Status. */
const statusCodes = [
  "BadRequest",
  "Unauthorized",
  "Forbidden",
  "NotFound",
  "AlreadyExists",
  "Conflict",
  "Gone",
  "Expired",
  "Invalid",
  "Timeout",
  "ServerTimeout",
  "TooManyRequests",
  "MethodNotAllowed",
  "NotAcceptable",
  "RequestEntityTooLarge",
  "UnsupportedMediaType",
  "InternalError",
  "ServiceUnavailable",
] as const;

/** What the client finds out by itself. */
const clientCodes = [
  /** The server does not know the kind: its CRD is not installed or the version is not served. */
  "UnknownKind",
  /** No connection could be made. */
  "Unreachable",
  /** The server's certificate, or ours, was not accepted. */
  "TlsFailed",
  /** There was a connection, and it broke before the whole answer was here. */
  "ConnectionLost",
  /** The caller's own time limit passed. */
  "DeadlineExceeded",
  /** No credentials could be obtained: a plugin failed, a file is missing. */
  "CredentialsFailed",
  /** The kubeconfig cannot be used: the client was never built. */
  "InvalidConfig",
  /** The answer is none that a Kubernetes API server would give. */
  "BadAnswer",
  /** The server is too old for what is asked of it. */
  "WrongVersion",
  /** The transport cannot do this. */
  "NotSupported",
] as const;

/**
 * Why a request failed. Programs switch on this, never on the message.
 *
 * @example
 * const passing: readonly ApiErrorCode[] = ["Conflict", "TooManyRequests"];
 */
export type ApiErrorCode = (typeof statusCodes)[number] | (typeof clientCodes)[number];

const known: ReadonlySet<string> = new Set<string>(statusCodes);

/** The code of a Status: its reason where we know it, otherwise what its HTTP status means. */
export function toErrorCode(reason: string | undefined, status: number): ApiErrorCode {
  return isStatusCode(reason) ? reason : fromHttpStatus(status);
}

function isStatusCode(reason: string | undefined): reason is (typeof statusCodes)[number] {
  return reason !== undefined && known.has(reason);
}

const byHttpStatus: Readonly<Record<number, ApiErrorCode>> = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  406: "NotAcceptable",
  409: "Conflict",
  410: "Gone",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

function fromHttpStatus(status: number): ApiErrorCode {
  return byHttpStatus[status] ?? (status >= 500 ? "InternalError" : "BadRequest");
}
