/** Connection errors: the response is missing or incomplete. */
import { ApiError } from "./api-error.ts";
import { describeAttempt } from "./attempt.ts";
import type { Attempt } from "./attempt.ts";

/**
 * How a connection can fail.
 *
 * @example
 * const passing: readonly ConnectionErrorCode[] = ["Unreachable", "ConnectionLost"];
 */
export type ConnectionErrorCode = "Unreachable" | "TlsFailed" | "ConnectionLost" | "DeadlineExceeded";

/** The fields of a `ConnectionError`. */
export interface ConnectionErrorInit {
  readonly code: ConnectionErrorCode;
  /** The server's address. */
  readonly server: string;
  /** Whether the server may have received the request; if not, any request can be repeated. */
  readonly sent: boolean;
  readonly cause?: unknown;
  readonly attempt?: Attempt | undefined;
}

/**
 * There was no (whole) answer.
 *
 * @example
 * const isSafeToRepeat = (error: unknown) => error instanceof ConnectionError && !error.sent;
 */
export class ConnectionError extends ApiError {
  override readonly name = "ConnectionError";
  readonly sent: boolean;
  readonly server: string;
  declare readonly code: ConnectionErrorCode;

  constructor(init: ConnectionErrorInit) {
    const what = init.attempt === undefined ? "" : `Cannot ${describeAttempt(init.attempt)}. `;
    super({ code: init.code, message: what + describe(init), cause: init.cause, attempt: init.attempt });
    this.sent = init.sent;
    this.server = init.server;
  }

  /** The same error with its attempt. */
  during(attempt: Attempt): ConnectionError {
    if (this.attempt !== undefined) return this;
    const { code, sent, server, cause } = this;
    return new ConnectionError({ code, sent, server, cause, attempt });
  }
}

function describe({ code, server, cause }: ConnectionErrorInit): string {
  const why = reasonOf(cause);
  switch (code) {
    case "Unreachable":
      return `Cannot reach the API server at ${server}: ${why}. Check that it runs and that the kubeconfig's server and proxy-url are right.`;
    case "TlsFailed":
      return `Cannot trust the connection to the API server at ${server}: ${why}. Check certificate-authority, tls-server-name and the client certificate of the kubeconfig.`;
    case "ConnectionLost":
      return `The connection to the API server at ${server} broke before the answer was complete: ${why}. Repeat the request if that is safe.`;
    case "DeadlineExceeded":
      return `The API server at ${server} did not answer in time: ${why}. Allow more time or check the server's load.`;
  }
}

/** The innermost cause is the most specific: "connect ECONNREFUSED 127.0.0.1:6443" rather than "fetch failed". */
function reasonOf(cause: unknown): string {
  if (cause instanceof AggregateError) return cause.errors.map(reasonOf).join("; ");
  if (cause instanceof Error) return cause.cause instanceof Error ? reasonOf(cause.cause) : cause.message;
  return typeof cause === "string" ? cause : "no reason was given";
}
