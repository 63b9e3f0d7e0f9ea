/** /openapi/v2 and /openapi/v3: schemas for clients that validate and complete. */
import { toGoJson } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { headerOf, type Call } from "../call.ts";
import { parseAccept } from "../encode/accept.ts";
import type { Exchange } from "../exchange.ts";
import { pageNotFound } from "../paths/plain.ts";
import { documentsOf, type Documents, type Rendered } from "./documents.ts";

/** Serves a path below /openapi. The documents are large and loaded on first use. */
export async function serveOpenApi(exchange: Exchange, parts: readonly string[]): Promise<Answer> {
  const { registry, aggregation } = exchange.parts;
  const documents = await documentsOf(registry, aggregation.openApi);
  if (parts[1] === "v2" && parts.length === 2) return serveDocument(exchange, documents.v2(), protobufOf("v2"));
  if (parts[1] !== "v3") return pageNotFound();
  if (parts.length === 2) return serveIndex(documents, exchange);
  const path = parts.slice(2).join("/");
  const document = documents.v3.get(path);
  if (document !== undefined) return serveVersion3(exchange, document());
  return aggregation.forwardDocument(exchange, path) ?? { status: 404, headers: {}, body: "" };
}

/** Includes the documents of aggregated servers; on conflict the own document wins. */
function serveIndex({ v3 }: Documents, { parts }: Exchange): Answer {
  const own = [...v3].map(([path, document]) => {
    const serverRelativeURL = `/openapi/v3/${path}?hash=${document().hash}`;
    return [path, { serverRelativeURL }] as const;
  });
  const all = new Map([...parts.aggregation.openApi.version3(), ...own]);
  const paths = Object.fromEntries([...all].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const headers = { "content-type": "text/plain; charset=utf-8" };
  return { status: 200, headers, body: toGoJson({ paths }) };
}

const json = "application/json";

/** The media type of protobuf documents. */
function protobufOf(version: "v2" | "v3"): string {
  return `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
}

/** The preferred media type of the client; older protobuf names contain an `@`. */
function formOf({ call }: Exchange, offered: readonly string[]): string | undefined {
  const accept = headerOf(call, "accept") ?? "";
  for (const { type, subtype } of parseAccept(accept === "" ? "*/*" : accept)) {
    if (type !== "*" && type !== "application") continue;
    const name = `application/${subtype.replace("@v1.0", ".v1.0")}`;
    const form = offered.find((one) => subtype === "*" || one === name);
    if (form !== undefined) return form;
  }
  return undefined;
}

/** Whether the client has the current document (If-None-Match); `*` matches any. */
function isKnown(call: Call, etag: string): boolean {
  const tags = (headerOf(call, "if-none-match") ?? "").split(",").map((one) => one.trim().replace(/^W\//, ""));
  return tags.some((tag) => tag === etag || tag === "*");
}

async function serveDocument(exchange: Exchange, document: Rendered, protobuf: string): Promise<Answer> {
  const form = formOf(exchange, [json, protobuf]);
  // Only v2 varies by Accept-Encoding.
  const vary = protobuf === protobufOf("v2") ? ["Accept-Encoding", "Accept"] : "Accept";
  if (form === undefined) return { status: 406, headers: { vary }, body: "" };
  const etag = `"${document.hash}"`;
  const headers = { etag, vary };
  if (isKnown(exchange.call, etag)) return { status: 304, headers, body: "" };
  return {
    status: 200,
    headers: { "content-type": form, ...headers },
    body: form === protobuf ? await document.protobuf() : document.text,
  };
}

/** A request with the current hash may be cached for a year; an outdated hash redirects to the new one. */
async function serveVersion3(exchange: Exchange, document: Rendered): Promise<Answer> {
  const { query, path, parts } = exchange;
  const answer = await serveDocument(exchange, document, protobufOf("v3"));
  const asked = query.get("hash") ?? "";
  if (asked === "" || answer.status === 406) return answer;
  if (asked !== document.hash) {
    const headers = { ...answer.headers, location: `${path}?hash=${document.hash}` };
    return { status: 301, headers, body: "" };
  }
  const expires = new Date(parts.clock.wall() + yearInMilliseconds).toUTCString().replace("GMT", "UTC");
  return { ...answer, headers: { ...answer.headers, "cache-control": "public, immutable", expires } };
}

const yearInMilliseconds = 365 * 24 * 60 * 60 * 1000;
