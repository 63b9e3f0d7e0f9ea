/** Talks to one API server over one connection. */
export { ApiError, ForbiddenError, isApiError } from "./error/api-error.ts";
export type { ApiErrorInit, Status, StatusCause } from "./error/api-error.ts";
export type { Attempt, PolicyRule, Verb } from "./error/attempt.ts";
export type { ApiErrorCode } from "./error/code.ts";
export { ConnectionError } from "./error/connection-error.ts";
export type { ConnectionErrorCode, ConnectionErrorInit } from "./error/connection-error.ts";
export { bodyOfBytes, bodyOfChunks } from "./transport/body.ts";
export { inProcess } from "./transport/in-process.ts";
export type { FetchHandler } from "./transport/in-process.ts";
export type {
  Body,
  MessageSocket,
  ResponseHeaders,
  SocketRequest,
  Transport,
  TransportRequest,
  TransportResponse,
} from "./transport/transport.ts";
