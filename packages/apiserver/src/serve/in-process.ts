/** The in-process transport: `fetch` calls the handler directly. */
import { apiErrors } from "@capstan/model";
import { isLive, type Answer, type LiveBody } from "../answer.ts";
import type { UserInfo } from "../authenticate/user.ts";
import type { Call, Headers } from "../call.ts";
import type { Handler } from "../handler.ts";
import { maxBody } from "./http-call.ts";

/** Serves Fetch API requests. The caller is the administrator, unless the request carries credentials. */
export function inProcessFetch(handler: Handler, administrator: UserInfo): (request: Request) => Promise<Response> {
  return async (request) => {
    const answer = await handler(toCall(request, administrator));
    return toResponse(request.method === "HEAD" ? { ...answer, body: "" } : answer, request.signal);
  };
}

function toCall(request: Request, administrator: UserInfo): Call {
  const headers: Headers = Object.fromEntries(request.headers);
  const user = request.headers.has("authorization") ? {} : { user: administrator };
  let body: Promise<Uint8Array> | undefined;
  return {
    method: request.method,
    url: targetOf(request.url),
    headers,
    body: () => (body ??= readBody(request)),
    signal: request.signal,
    remoteAddress: "in-process",
    ...user,
  };
}

/** Path and query, in the spelling of the URL. */
function targetOf(url: string): string {
  const [, target = ""] = /^[^:/]+:\/\/[^/?#]*([^#]*)/.exec(url) ?? [];
  return target.startsWith("/") ? target : `/${target}`;
}

async function readBody(request: Request): Promise<Uint8Array> {
  const body = new Uint8Array(await request.arrayBuffer());
  if (body.length > maxBody) throw apiErrors.requestEntityTooLarge(`limit is ${maxBody}`);
  return body;
}

/** Statuses without a body. */
const bodiless = new Set([101, 204, 205, 304]);

function toResponse({ status, headers, body }: Answer, signal: AbortSignal): Response {
  const list = Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  if (bodiless.has(status)) return new Response(null, { status: status === 101 ? 200 : status, headers: list });
  const content = isLive(body) ? toStream(body, signal) : toBytes(body);
  return new Response(content, { status, headers: list });
}

/** Bytes, because a text would add a content type. */
function toBytes(body: string | Uint8Array): Uint8Array<ArrayBuffer> {
  return (typeof body === "string" ? Buffer.from(body) : body) as Uint8Array<ArrayBuffer>;
}

function toStream(body: LiveBody, signal: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  let stop: () => void = () => {};
  let isOpen = true;
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const close = (): void => {
        if (isOpen) controller.close();
        isOpen = false;
      };
      stop = body({
        isFull: false,
        whenDrained: (callback) => callback(),
        write: (chunk) => {
          if (isOpen) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk);
        },
        end: close,
      });
      signal.addEventListener("abort", () => {
        stop();
        if (isOpen) controller.error(signal.reason);
        isOpen = false;
      });
    },
    cancel() {
      isOpen = false;
      stop();
    },
  });
}
