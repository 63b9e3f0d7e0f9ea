/** Hands a request to the server that an API service names, and its answer back. */
import { fromChunks, type Answer, type AnswerHeaders } from "../answer.ts";
import { OutgoingError, type OutgoingAnswer } from "../outgoing/outgoing.ts";
import type { Exchange } from "../exchange.ts";
import { plainText } from "../paths/plain.ts";
import { isAvailable, type RemoteService } from "./api-service.ts";
import { callRemote, type RemoteParts } from "./remote-call.ts";

/** Headers that are between two neighbours, or that say who asks: they are not handed on. */
const notForwarded =
  /^(:.*|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|authorization|impersonate-.*|x-remote-.*|accept-encoding)$/;

/** The answer of the other server; 503 when it is not there. */
export async function forwardTo(service: RemoteService, exchange: Exchange, parts: RemoteParts): Promise<Answer> {
  if (!isAvailable(service)) return plainText(503, "service unavailable\n");
  const { call, user } = exchange;
  const hasBody = call.method !== "GET" && call.method !== "HEAD";
  const body = hasBody ? await call.body() : undefined;
  try {
    const request = {
      method: call.method,
      path: call.url,
      user,
      headers: forwardedHeaders(call.headers),
      signal: call.signal,
      streams: true,
      ...(body === undefined ? {} : { body }),
    };
    return toAnswer(await callRemote(service, request, parts));
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (error.code === "Unresolved") return plainText(503, "service unavailable\n");
    return plainText(503, `error trying to reach service: ${error.message}\n`);
  }
}

function forwardedHeaders(headers: Exchange["call"]["headers"]): { [name: string]: string | string[] } {
  const kept = Object.entries(headers).filter(([name]) => !notForwarded.test(name));
  return Object.fromEntries(
    kept.flatMap(([name, value]) =>
      value === undefined ? [] : [[name, typeof value === "string" ? value : [...value]]],
    ),
  );
}

function toAnswer({ status, headers, body, chunks }: OutgoingAnswer): Answer {
  const kept: AnswerHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !notForwarded.test(name)) kept[name] = value;
  }
  return { status, headers: kept, body: chunks === undefined ? body : fromChunks(chunks) };
}
