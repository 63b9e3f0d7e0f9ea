/** Forwards a request to the server behind an APIService and returns its response. */
import { isIP } from "node:net";
import { pipeline, Readable } from "node:stream";
import { constants, createGunzip } from "node:zlib";
import { fromChunks, type Answer, type AnswerHeaders } from "../answer.ts";
import { headerOf, type Call } from "../call.ts";
import { endToEndHeaders, forwardedHeaders } from "../outgoing/forwarded-headers.ts";
import { rewriteUrl } from "../outgoing/go-address.ts";
import { OutgoingError, type OutgoingAnswer } from "../outgoing/outgoing.ts";
import type { Exchange } from "../exchange.ts";
import { plainText } from "../paths/plain.ts";
import { isAvailable, type RemoteService } from "./api-service.ts";
import { joinConnections, upgradeOf } from "./upgrade.ts";
import { callRemote, type RemoteParts } from "./remote-call.ts";

/** Returns the response of the other server; 503 if it is unavailable. */
export async function forwardTo(service: RemoteService, exchange: Exchange, parts: RemoteParts): Promise<Answer> {
  if (!isAvailable(service)) return plainText(503, "service unavailable\n");
  const { call, user } = exchange;
  const headers = { ...headersFor(exchange), ...gzipFor(call) };
  const request = { method: call.method, path: rewriteUrl(call.url), user, headers };
  try {
    const upgrade = upgradeOf(call);
    if (upgrade !== undefined) {
      const answer = await callRemote(service, { ...request, upgrade }, parts);
      return joinConnections(call, answer) ?? toAnswer(answer, exchange);
    }
    const hasBody = call.method !== "GET" && call.method !== "HEAD";
    const body = hasBody ? { body: await call.body() } : {};
    const { signal } = call;
    const answer = await callRemote(service, { ...request, ...body, signal, streams: true, isForwarded: true }, parts);
    return isRedirection(answer) ? await refuseRedirection(answer) : toAnswer(answer, exchange);
  } catch (error) {
    if (!(error instanceof OutgoingError)) throw error;
    if (error.code === "Unresolved") return plainText(503, "service unavailable\n");
    return plainText(503, `error trying to reach service: ${error.message}\n`);
  }
}

function isRedirection({ status, headers }: OutgoingAnswer): boolean {
  return status >= 300 && status <= 399 && String(headers["location"] ?? "") !== "";
}

/** A redirect is rejected: it would send an authorized request to a target that does not check authorization. */
async function refuseRedirection({ chunks }: OutgoingAnswer): Promise<Answer> {
  // The body is discarded.
  await chunks?.[Symbol.asyncIterator]().return?.();
  const body = "the backend attempted to redirect this request, which is not permitted";
  return { status: 502, headers: { "content-type": "text/plain; charset=utf-8" }, body };
}

/** The HTTP caller sets `host` and `content-length` itself. */
function headersFor({ call, auditId }: Exchange): { [name: string]: string | string[] } {
  const { host: _host, "content-length": _length, ...kept } = forwardedHeaders(call.headers);
  return { ...kept, "audit-id": auditId, ...forwardedFor(call) };
}

/** The X-Forwarded-For list, to which each proxy appends its peer. In-process calls have no address. */
function forwardedFor(call: Call): { [name: string]: string } {
  if (isIP(call.remoteAddress) === 0) return {};
  const before = headerOf(call, "x-forwarded-for");
  return { "x-forwarded-for": before === undefined ? call.remoteAddress : `${before}, ${call.remoteAddress}` };
}

/** The headers of this server come first; the headers of the other server are added. */
function toAnswer({ status, headers, body, chunks }: OutgoingAnswer, { call, auditId }: Exchange): Answer {
  const { "content-length": _length, ...kept }: AnswerHeaders = endToEndHeaders(headers);
  kept["audit-id"] = [auditId, kept["audit-id"] ?? []].flat();
  kept["cache-control"] = ["no-cache, private", kept["cache-control"] ?? []].flat();
  if (chunks === undefined) return { status, headers: kept, body };
  const isPacked = "accept-encoding" in gzipFor(call) && String(headers["content-encoding"]).toLowerCase() === "gzip";
  if (isPacked) delete kept["content-encoding"];
  return { status, headers: kept, body: fromChunks(isPacked ? unpacked(chunks) : chunks) };
}

/** As Go's client: without an Accept-Encoding from the caller, the hop uses gzip and the caller gets plain bytes. */
function gzipFor(call: Call): { readonly "accept-encoding"?: string } {
  const isLeftOut = headerOf(call, "accept-encoding") === undefined && headerOf(call, "range") === undefined;
  return isLeftOut && call.method !== "HEAD" && upgradeOf(call) === undefined ? { "accept-encoding": "gzip" } : {};
}

/** Flushes each piece as soon as it can be decoded, because the response may be a watch. */
function unpacked(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
  const gunzip = createGunzip({ flush: constants.Z_SYNC_FLUSH });
  // The reader of `gunzip` also gets the error.
  pipeline(Readable.from(chunks), gunzip, () => {});
  return gunzip;
}
