/** Errors of the HTTP API: Kubernetes Status objects. */
import type { MeterErrorCode } from "@capstan/metering";
import { CliError } from "../../errors.ts";

/** The reasons of Kubernetes by status code. */
const reasons: { readonly [code: number]: string } = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  409: "Conflict",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  422: "Invalid",
  500: "InternalError",
  503: "ServiceUnavailable",
};

/** A request fails: the message is for the caller and names nothing of other tenants. */
export class HttpError extends Error {
  override readonly name = "HttpError";
  readonly code: number;

  constructor(code: number, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

const meterStatus: { readonly [code in MeterErrorCode]: number } = {
  BadBook: 500,
  BadInput: 400,
  BadSql: 400,
  Corrupt: 500,
  Disk: 507,
  Limit: 422,
  Locked: 409,
  MissingEngine: 500,
  Newer: 500,
  NotReady: 422,
  Unreachable: 503,
  Usage: 400,
};

/** What a thrown value means for the caller. A fault of the server is not described: its message may name files. */
export function toHttpError(thrown: unknown): HttpError {
  if (thrown instanceof HttpError) return thrown;
  const code = codeOf(thrown);
  const message = code < 500 && thrown instanceof Error ? thrown.message : "the server cannot answer; its log says why";
  return new HttpError(code, message, { cause: thrown });
}

function codeOf(thrown: unknown): number {
  if (thrown instanceof CliError) return thrown.code === "Usage" || thrown.code === "BadInput" ? 400 : 500;
  if (thrown instanceof Error && thrown.name === "MeterError" && "code" in thrown)
    return Object.entries(meterStatus).find(([name]) => name === thrown.code)?.[1] ?? 500;
  return 500;
}

/** The Status object of an error. */
export function statusOf({ code, message }: HttpError): object {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason: reasons[code] ?? "Unknown",
    code,
  };
}
