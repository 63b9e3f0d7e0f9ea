/**
 * The request handler and table of contents of this package.
 *
 * A call is routed, authenticated and authorized. A non-resource path gets its document, a resource request goes to its verb. The verb
 * decodes, admits, stores or reads, and encodes. This file does not know any kind.
 */
import { quote } from "@capstan/model";
import type { Answer, AnswerHeaders } from "./answer.ts";
import { beginTrail, type AuditTrail } from "./audit/trail.ts";
import { authorizeCall } from "./authorize/authorize-call.ts";
import { identify } from "./authenticate/identify.ts";
import { withoutBearerProtocol } from "./authenticate/bearer.ts";
import { headerOf, withHeaders, type Call } from "./call.ts";
import { negotiate, plainOffer, type OutputMedia } from "./encode/media.ts";
import { respondError } from "./encode/respond.ts";
import { warningHeaders } from "./encode/warnings.ts";
import type { Exchange } from "./exchange.ts";
import { flowHeaders, flowsOf } from "./flow/flow.ts";
import { chargedAnswer } from "./flow/charged-answer.ts";
import { tooManyRequests, withPacedBody } from "./flow/gate.ts";
import { freeTurns, type Turns } from "./flow/pacer.ts";
import { TooManyRequestsError, type Release } from "./flow/seats.ts";
import type { ServerParts } from "./parts.ts";
import { servePath } from "./paths/serve-path.ts";
import { toRefusal } from "./refusal.ts";
import { isOverAtOnce, timedOut } from "./route/timeout.ts";
import { pageNotFound, plainText } from "./paths/plain.ts";
import { isCutShort, parseRequest, type RequestInfo, type ResourceRequest } from "./route/request-info.ts";
import { splitUrl } from "./route/query.ts";
import type { TurnWork } from "./turn/turn-watch.ts";
import { serveResource } from "./verbs/serve-resource.ts";

/** The server as a function. It never throws: every error becomes a response. It records the request in the trail, if one is passed. */
export type Handler = (call: Call, trail?: AuditTrail) => Promise<Answer>;

export function createHandler(parts: ServerParts): Handler {
  const flowOf = flowsOf(parts.store);
  return async (received, trail = beginTrail()) => {
    let call = received;
    const work: TurnWork = { method: call.method, url: call.url, user: "" };
    parts.turns.mark(work);
    const { path, query } = splitUrl(call.url);
    const auditId = headerOf(call, "audit-id") ?? parts.randomness.uuid();
    trail.auditId = auditId;
    const warnings = new Set<string>();
    if (malformedPath.test(path)) return malformedRequest();
    if (isCutShort(path)) return unreadableRequest(call.url, auditId);
    const info = parseRequest(call.method, path, query);
    trail.info = info;
    let answer: Answer;
    let headers: AnswerHeaders = {};
    let release: Release = () => {};
    let turns: Turns = freeTurns;
    try {
      if (isOverAtOnce(info, query)) return withAnswerHeaders(timedOut(), auditId, warnings);
      const user = await identify(parts, call, { info, query, warnings, trail });
      work.user = user.name;
      call = withoutToken(call);
      const flow = flowOf(user, info);
      headers = flowHeaders(flow);
      if (flow !== undefined) {
        ({ release, turns } = await parts.gate.enter(call, flow, work));
        if (hasBody(call)) call = withPacedBody(call, turns);
      }
      const exchange: Exchange = { call, path, query, auditId, user, parts, warnings, turns, trail };
      await authorizeCall(exchange, info);
      answer = await serve(exchange, info);
    } catch (error) {
      answer = toAnswer(error, () => respondError(toRefusal(error, parts, call), errorMedia(call, query)));
    } finally {
      release();
    }
    answer = chargedAnswer(answer, turns, parts.clock);
    if (info.type === "resource") count(parts, info, answer.status);
    Object.assign(answer.headers, headers);
    return withAnswerHeaders(answer, auditId, warnings);
  };
}

function hasBody({ method }: Call): boolean {
  return method !== "GET" && method !== "HEAD";
}

function toAnswer(error: unknown, respond: () => Answer): Answer {
  return error instanceof TooManyRequestsError ? tooManyRequests() : respond();
}

/** Removes a token from the sub-protocols, which are sent back and forwarded. */
function withoutToken(call: Call): Call {
  const headers = withoutBearerProtocol(call.headers);
  return headers === call.headers ? call : withHeaders(call, headers);
}

/** Only served resources are counted: unknown names from clients would fill the memory. */
function count({ metrics, registry }: ServerParts, info: ResourceRequest, code: number): void {
  if (registry.find(info.group, info.version, info.resource) !== undefined) metrics.count({ ...info, code });
}

/** A percent sign without two hexadecimal digits: the path is rejected before it is parsed. */
const malformedPath = /%(?![0-9a-fA-F]{2})/;

function malformedRequest(): Answer {
  return { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: "400 Bad Request" };
}

/** This response precedes authentication. */
function unreadableRequest(url: string, auditId: string): Answer {
  const why = `unable to determine kind and namespace from url, ${url}`;
  const answer = plainText(500, `Internal Server Error: ${quote(url)}: failed to create RequestInfo: ${why}\n`);
  return { ...answer, headers: { ...answer.headers, "audit-id": auditId } };
}

function serve(exchange: Exchange, info: RequestInfo): Promise<Answer> | Answer {
  // Authorization ignores the duplicate slashes, but the path is not served: a proxy in front may have let it pass because of them.
  if (info.path.startsWith("//")) return pageNotFound();
  return info.type === "path" ? servePath(exchange, info) : serveResource(exchange, info);
}

/** Errors use the negotiated format, or JSON if the negotiation itself failed. */
function errorMedia(call: Call, query: URLSearchParams): OutputMedia {
  try {
    return { ...negotiate(call, query, plainOffer), transform: undefined };
  } catch {
    return { format: "json", transform: undefined, pretty: true };
  }
}

function withAnswerHeaders(answer: Answer, auditId: string, warnings: ReadonlySet<string>): Answer {
  const { headers } = answer;
  // A list already contains it, next to the audit id of another server.
  if (!Array.isArray(headers["audit-id"])) headers["audit-id"] = auditId;
  headers["cache-control"] ??= "no-cache, private";
  if (warnings.size > 0) {
    const sent = warningHeaders(warnings);
    if (sent.length > 0) headers["warning"] = sent;
  }
  return answer;
}
