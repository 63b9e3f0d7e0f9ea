/**
 * The contents of this package: one request, top to bottom.
 *
 * A call is routed, authenticated and authorised; a path is answered by its document, a resource by its verb. The verb decodes, admits,
 * stores or reads, and encodes. Nothing here knows a kind.
 */
import { quote, StatusError, toFailure } from "@capstan/model";
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
import { flowHeadersOf } from "./flow/flow-headers.ts";
import type { ServerParts } from "./parts.ts";
import { servePath } from "./paths/serve-path.ts";
import { toRefusal } from "./refusal.ts";
import { isOverAtOnce, timedOut } from "./route/timeout.ts";
import { pageNotFound, plainText } from "./paths/plain.ts";
import { isCutShort, parseRequest, type RequestInfo, type ResourceRequest } from "./route/request-info.ts";
import { splitUrl } from "./route/query.ts";
import { serveResource } from "./verbs/serve-resource.ts";

/**
 * The server as a function. It never throws: whatever goes wrong is an answer. What it finds out about the request is left in the trail,
 * if one is handed in.
 */
export type Handler = (call: Call, trail?: AuditTrail) => Promise<Answer>;

/** Joins the stages. */
export function createHandler(parts: ServerParts): Handler {
  const flowHeaders = flowHeadersOf(parts.store);
  return async (received, trail = beginTrail()) => {
    let call = received;
    const { path, query } = splitUrl(call.url);
    const auditId = headerOf(call, "audit-id") ?? parts.randomness.uuid();
    trail.auditId = auditId;
    const warnings = new Set<string>();
    if (malformedPath.test(path)) return malformedRequest();
    if (isCutShort(path)) return unreadableRequest(call.url, auditId);
    const info = parseRequest(call.method, path, query);
    trail.info = info;
    let answer: Answer;
    let flow: AnswerHeaders = {};
    try {
      checkDisk(parts);
      if (isOverAtOnce(info, query)) return withAnswerHeaders(timedOut(), auditId, warnings);
      const user = await identify(parts, call, { info, query, warnings, trail });
      call = withoutToken(call);
      flow = flowHeaders(user, info);
      const exchange: Exchange = { call, path, query, auditId, user, parts, warnings, trail };
      await authorizeCall(exchange, info);
      answer = await serve(exchange, info);
    } catch (error) {
      answer = respondError(toRefusal(error, parts, call), errorMedia(call, query));
    }
    if (info.type === "resource") count(parts, info, answer.status);
    Object.assign(answer.headers, flow);
    return withAnswerHeaders(answer, auditId, warnings);
  };
}

/** The call without a token among its sub-protocols, which are sent back and passed on. */
function withoutToken(call: Call): Call {
  const headers = withoutBearerProtocol(call.headers);
  return headers === call.headers ? call : withHeaders(call, headers);
}

/** Only what is served has a number: names that clients make up would fill the memory. */
function count({ metrics, registry }: ServerParts, info: ResourceRequest, code: number): void {
  if (registry.find(info.group, info.version, info.resource) !== undefined) metrics.count({ ...info, code });
}

/** While the disk refuses what the store holds, nobody may see it: after a crash it would never have been. */
function checkDisk({ store }: ServerParts): void {
  const failure = store.failure();
  if (failure === undefined) return;
  const message = `the disk refuses the state of the server (${failure.message}); it answers again when the disk takes it`;
  throw new StatusError(toFailure({ code: 500, reason: "InternalError", message }));
}

/** A percent sign without two digits after it: such a path is not even read. */
const malformedPath = /%(?![0-9a-fA-F]{2})/;

function malformedRequest(): Answer {
  return { status: 400, headers: { "content-type": "text/plain; charset=utf-8" }, body: "400 Bad Request" };
}

/** Even before it is known who asks. */
function unreadableRequest(url: string, auditId: string): Answer {
  const why = `unable to determine kind and namespace from url, ${url}`;
  const answer = plainText(500, `Internal Server Error: ${quote(url)}: failed to create RequestInfo: ${why}\n`);
  return { ...answer, headers: { ...answer.headers, "audit-id": auditId } };
}

function serve(exchange: Exchange, info: RequestInfo): Promise<Answer> | Answer {
  // Who may what is decided without the slashes, but nothing is served there: a proxy in front may have let it pass for that.
  if (exchange.path.startsWith("//")) return pageNotFound();
  return info.type === "path" ? servePath(exchange, info) : serveResource(exchange, info);
}

/** Refusals come in the form that was asked for, or in JSON when that form is itself the problem. */
function errorMedia(call: Call, query: URLSearchParams): OutputMedia {
  try {
    return { ...negotiate(call, query, plainOffer), transform: undefined };
  } catch {
    return { format: "json", transform: undefined, pretty: true };
  }
}

function withAnswerHeaders(answer: Answer, auditId: string, warnings: ReadonlySet<string>): Answer {
  const { headers } = answer;
  // A list has it already, beside what another server said of its own.
  if (!Array.isArray(headers["audit-id"])) headers["audit-id"] = auditId;
  headers["cache-control"] ??= "no-cache, private";
  if (warnings.size > 0) {
    const sent = warningHeaders(warnings);
    if (sent.length > 0) headers["warning"] = sent;
  }
  return answer;
}
