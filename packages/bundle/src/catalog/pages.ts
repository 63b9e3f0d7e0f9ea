/** Serves catalogs over HTTP with the paths of catalogd: `/catalogs/NAME/api/v1/all` and `.../metas`. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import { checkDns1123Subdomain } from "@capstan/model";
import type { CatalogContent, ContentLine } from "./content.ts";

/** A catalog that is served. */
export interface ServedCatalog {
  readonly content: CatalogContent;
  readonly modified: Date;
}

/** Finds a catalog by its name. */
export type FindCatalog = (name: string) => ServedCatalog | undefined;

/** Answers a request. */
export async function answerCatalogRequest(
  request: IncomingMessage,
  response: ServerResponse,
  find: FindCatalog,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://catalogs");
  const [, name, page] = /^\/catalogs\/([^/]*)\/api\/v1\/(all|metas)$/.exec(url.pathname) ?? [];
  if (name === undefined) return fail(response, 404, "404 page not found");
  if (request.method !== "GET" && request.method !== "HEAD") return fail(response, 405, "Method Not Allowed");
  const problems = checkDns1123Subdomain(decodeURIComponent(name));
  if (problems.length > 0) return fail(response, 400, `invalid catalog name: ${problems.join("; ")}`);
  const known = new Set(["schema", "package", "name"]);
  if (page === "metas" && [...url.searchParams.keys()].some((key) => !known.has(key)))
    return fail(response, 400, "400 Bad Request");
  const served = find(name);
  if (served === undefined) return fail(response, 404, "404 Not Found");
  const lines = page === "all" ? served.content.lines : linesFor(served.content, url.searchParams);
  await send({ request, response, served, lines, isWhole: page === "all" });
}

function fail(response: ServerResponse, code: number, text: string): void {
  response.writeHead(code, { "content-type": "text/plain; charset=utf-8", "x-content-type-options": "nosniff" });
  response.end(`${text}\n`);
}

function linesFor({ lines }: CatalogContent, query: URLSearchParams): ContentLine[] {
  const [schema, of, name] = ["schema", "package", "name"].map((key) => query.get(key) ?? "");
  return lines.filter(
    (line) =>
      (schema === "" || line.schema === schema) &&
      (of === "" || line.package === of) &&
      (name === "" || line.name === name),
  );
}

interface Sending {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly served: ServedCatalog;
  readonly lines: readonly ContentLine[];
  readonly isWhole: boolean;
}

async function send({ request, response, served, lines, isWhole }: Sending): Promise<void> {
  const etag = `"${served.content.digest}"`;
  response.setHeader("Last-Modified", served.modified.toUTCString());
  response.setHeader("ETag", etag);
  response.setHeader("Vary", "Accept-Encoding");
  const verdict = precondition(request, served, etag);
  if (verdict !== 200) {
    response.writeHead(verdict).end();
    return;
  }
  response.setHeader("Content-Type", "application/jsonl");
  const isZipped = acceptsGzip(request);
  if (isZipped) response.setHeader("Content-Encoding", "gzip");
  else if (isWhole) response.setHeader("Content-Length", served.content.size);
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const source = Readable.from(parts(served.content, lines), { objectMode: false });
  await (isZipped ? pipeline(source, createGzip(), response) : pipeline(source, response));
}

/** RFC 9110, section 13.2.2. */
function precondition({ headers }: IncomingMessage, { modified }: ServedCatalog, etag: string): 200 | 304 | 412 {
  const seconds = Math.floor(modified.getTime() / 1000) * 1000;
  const match = headers["if-match"];
  if (match !== undefined && !isListed(match, etag)) return 412;
  const unmodified = Date.parse(headers["if-unmodified-since"] ?? "");
  if (match === undefined && seconds > unmodified) return 412;
  const noneMatch = headers["if-none-match"];
  if (noneMatch !== undefined) return isListed(noneMatch, etag) ? 304 : 200;
  return seconds <= Date.parse(headers["if-modified-since"] ?? "") ? 304 : 200;
}

function isListed(list: string, etag: string): boolean {
  return list.split(",").some((one) => one.trim() === "*" || one.trim().replace(/^W\//, "") === etag);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  const wanted = String(headers["accept-encoding"] ?? "");
  return /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/.test(wanted);
}

const maxPart = 2 ** 18;

/** The lines in pieces of a size that is worth a read; neighbours are read together. */
function* parts({ read }: CatalogContent, lines: readonly ContentLine[]): Generator<Buffer> {
  let [start, end] = [0, 0];
  for (const { offset, length } of lines) {
    if (offset !== end || end - start > maxPart) {
      if (end > start) yield read(start, end - start);
      start = offset;
    }
    end = offset + length;
  }
  if (end > start) yield read(start, end - start);
}
