/** Hands a request to the server that an API service names, and its answer back. */
import { isIP } from "node:net";
import { fromChunks, type Answer, type AnswerHeaders } from "../answer.ts";
import { headerOf, type Call } from "../call.ts";
import { OutgoingError, type OutgoingAnswer } from "../outgoing/outgoing.ts";
import type { Exchange } from "../exchange.ts";
import { plainText } from "../paths/plain.ts";
import { isAvailable, type RemoteService } from "./api-service.ts";
import { joinConnections, upgradeOf } from "./upgrade.ts";
import { callRemote, type RemoteParts } from "./remote-call.ts";

/** Headers that are between two neighbours, or that say who asks: they are not handed on. */
const notForwarded =
  /^(:.*|host|connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|content-length|authorization|impersonate-.*|x-remote-.*|accept-encoding)$/;

/** The answer of the other server; 503 when it is not there. */
export async function forwardTo(service: RemoteService, exchange: Exchange, parts: RemoteParts): Promise<Answer> {
  if (!isAvailable(service)) return plainText(503, "service unavailable\n");
  const { call, user } = exchange;
  const request = { method: call.method, path: call.url, user, headers: forwardedHeaders(exchange) };
  try {
    const upgrade = upgradeOf(call);
    if (upgrade !== undefined) {
      const answer = await callRemote(service, { ...request, upgrade }, parts);
      return joinConnections(call, answer) ?? toAnswer(answer);
    }
    const hasBody = call.method !== "GET" && call.method !== "HEAD";
    const body = hasBody ? { body: await call.body() } : {};
    const { signal } = call;
    const answer = await callRemote(service, { ...request, ...body, signal, streams: true, isForwarded: true }, parts);
    return isRedirection(answer) ? await refuseRedirection(answer) : toAnswer(answer);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (error.code === "Unresolved") return plainText(503, "service unavailable\n");
    return plainText(503, `error trying to reach service: ${error.message}\n`);
  }
}

function isRedirection({ status, headers }: OutgoingAnswer): boolean {
  return status >= 300 && status <= 399 && String(headers["location"] ?? "") !== "";
}

/** Whoever is let in here must not be sent on to where nobody asks who may come. */
async function refuseRedirection({ chunks }: OutgoingAnswer): Promise<Answer> {
  // Nobody reads what comes with it.
  await chunks?.[Symbol.asyncIterator]().return?.();
  const body = "the backend attempted to redirect this request, which is not permitted";
  return { status: 502, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

function forwardedHeaders({ call, auditId }: Exchange): { [name: string]: string | string[] } {
  const kept = Object.entries(call.headers).filter(([name]) => !notForwarded.test(name));
  const headers = kept.flatMap(([name, value]) =>
    value === undefined ? [] : [[name, typeof value === "string" ? value : [...value]] as const],
  );
  return { ...Object.fromEntries(headers), "audit-id": auditId, ...forwardedFor(call) };
}

/** Whose request it was before it came here: a list that every hand adds to. Calls in process come from nowhere. */
function forwardedFor(call: Call): { [name: string]: string } {
  if (isIP(call.remoteAddress) === 0) return {};
  const before = headerOf(call, "x-forwarded-for");
  return { "x-forwarded-for": before === undefined ? call.remoteAddress : `${before}, ${call.remoteAddress}` };
}

function toAnswer({ status, headers, body, chunks }: OutgoingAnswer): Answer {
  const kept: AnswerHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined && !notForwarded.test(name)) kept[name] = value;
  }
  return { status, headers: kept, body: chunks === undefined ? body : fromChunks(chunks) };
}
