/** /openapi/v2 and /openapi/v3: what is served, described for clients that check and complete. */
import { createHash } from "node:crypto";
import { toGoJson, type Json } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { headerOf } from "../call.ts";
import type { Exchange } from "../exchange.ts";
import { pageNotFound } from "../paths/plain.ts";
import type { Registry } from "../resources/registry.ts";
import { customDocuments, mergeVersion2 } from "./custom.ts";

/** A document as text, with the hash that names its state. */
interface Rendered {
  readonly text: string;
  readonly hash: string;
}

/** What was rendered for one state of the registry. */
interface Documents {
  readonly generation: number;
  readonly v3: ReadonlyMap<string, () => Rendered>;
  readonly v2: () => Rendered;
}

const rendered = new WeakMap<Registry, Documents>();
const builtinTexts = new Map<string, Rendered>();

/** Answers a path below /openapi. The documents are large and loaded when they are first asked for. */
export async function serveOpenApi(exchange: Exchange, parts: readonly string[]): Promise<Answer> {
  const documents = await documentsOf(exchange.parts.registry);
  if (parts[1] === "v2" && parts.length === 2) return serveDocument(exchange, documents.v2(), "application/json");
  if (parts[1] !== "v3") return pageNotFound();
  if (parts.length === 2) return serveIndex(documents);
  const document = documents.v3.get(parts.slice(2).join("/"));
  return document === undefined ? pageNotFound() : serveDocument(exchange, document(), "application/json");
}

async function documentsOf(registry: Registry): Promise<Documents> {
  const known = rendered.get(registry);
  if (known !== undefined && known.generation === registry.generation) return known;
  const { openApiV2, openApiV3 } = await import("@capstan/kinds/openapi");
  const v3 = new Map<string, () => Rendered>();
  for (const [path, document] of Object.entries(openApiV3())) v3.set(path, () => renderBuiltin(path, document as Json));
  const custom = customDocuments(registry, openApiV3() as unknown as { readonly [path: string]: Json });
  for (const [path, document] of custom)
    v3.set(
      path,
      once(() => render(document)),
    );
  const v2 = once(() =>
    custom.size === 0 ? renderBuiltin("v2", openApiV2() as Json) : render(mergeVersion2(openApiV2() as Json, custom)),
  );
  const documents = { generation: registry.generation, v3, v2 };
  rendered.set(registry, documents);
  return documents;
}

function renderBuiltin(name: string, document: Json): Rendered {
  let text = builtinTexts.get(name);
  if (text === undefined) builtinTexts.set(name, (text = render(document)));
  return text;
}

function render(document: Json): Rendered {
  const text = toGoJson(document);
  return { text, hash: createHash("sha512").update(text).digest("hex").toUpperCase() };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function serveIndex({ v3 }: Documents): Answer {
  const paths = Object.fromEntries(
    [...v3]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, document]) => [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${document().hash}` }]),
  );
  const headers = { "content-type": "text/plain; charset=utf-8", vary: "Accept" };
  return { status: 200, headers, body: toGoJson({ paths }) };
}

/** A document that was asked for by its hash never changes and may be kept for a year. */
function serveDocument({ call, query }: Exchange, { text, hash }: Rendered, type: string): Answer {
  const asked = query.get("hash");
  const etag = `"${hash}"`;
  const headers: Record<string, string> = { "content-type": type, etag, vary: "Accept" };
  if (asked !== null && asked === hash) headers["cache-control"] = "public, immutable, max-age=31536000";
  if (headerOf(call, "if-none-match") === etag) return { status: 304, headers, body: "" };
  return { status: 200, headers, body: text };
}
