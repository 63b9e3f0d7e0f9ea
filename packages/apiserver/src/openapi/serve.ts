/** /openapi/v2 and /openapi/v3: what is served, described for clients that check and complete. */
import { createHash } from "node:crypto";
import { toGoJson, type Json } from "@capstan/model";
import type { RemoteVersion } from "../aggregate/aggregation.ts";
import type { Answer } from "../answer.ts";
import { headerOf } from "../call.ts";
import { parseAccept } from "../encode/accept.ts";
import type { Exchange } from "../exchange.ts";
import { pageNotFound } from "../paths/plain.ts";
import type { Registry } from "../resources/registry.ts";
import { customDocuments, mergeVersion2 } from "./custom.ts";
import { describeMetadata } from "./metadata-descriptions.ts";

/** A document as text, with the hash that names its state, and where it can be had so, as protocol buffers. */
interface Rendered {
  readonly text: string;
  readonly hash: string;
  readonly protobuf?: () => Promise<Uint8Array>;
}

/** What was rendered for one state of the registry. */
interface Documents {
  readonly generation: number;
  readonly v3: ReadonlyMap<string, () => Rendered>;
  readonly v2: () => Rendered;
}

const rendered = new WeakMap<Registry, Documents>();
const builtinTexts = new Map<string, Rendered>();
let builtinV2: Rendered | undefined;

/** Answers a path below /openapi. The documents are large and loaded when they are first asked for. */
export async function serveOpenApi(exchange: Exchange, parts: readonly string[]): Promise<Answer> {
  const documents = await documentsOf(exchange.parts.registry);
  if (parts[1] === "v2" && parts.length === 2) return serveDocument(exchange, documents.v2());
  if (parts[1] !== "v3") return pageNotFound();
  if (parts.length === 2) return serveIndex(documents, exchange.parts.aggregation.versions());
  const [root, group = "", version = ""] = parts.slice(2);
  const forwarded = root === "apis" ? exchange.parts.aggregation.forward(exchange, { group, version }) : undefined;
  if (forwarded !== undefined) return forwarded;
  const document = documents.v3.get(parts.slice(2).join("/"));
  return document === undefined ? { status: 404, headers: {}, body: "" } : serveVersion3(exchange, document());
}

async function documentsOf(registry: Registry): Promise<Documents> {
  const known = rendered.get(registry);
  if (known !== undefined && known.generation === registry.generation) return known;
  const { openApiV2, openApiV3 } = await import("@capstan/kinds/openapi");
  const v3 = new Map<string, () => Rendered>();
  for (const [path, document] of Object.entries(openApiV3())) v3.set(path, () => renderBuiltin(path, document as Json));
  const custom = customDocuments(registry, {
    v3: openApiV3() as unknown as { readonly [path: string]: Json },
    v2: openApiV2() as Json,
  });
  for (const [path, document] of custom)
    v3.set(
      path,
      once(() => render(document)),
    );
  const v2 = once(() =>
    custom.size === 0
      ? builtinVersion2(openApiV2() as Json)
      : renderVersion2(mergeVersion2(openApiV2() as Json, registry)),
  );
  const documents = { generation: registry.generation, v3, v2 };
  rendered.set(registry, documents);
  return documents;
}

function renderBuiltin(name: string, document: Json): Rendered {
  let text = builtinTexts.get(name);
  if (text === undefined) builtinTexts.set(name, (text = render(withMetadata(document))));
  return text;
}

/** A document of version 3 whose metadata is explained. */
function withMetadata(document: Json): Json {
  const { components, ...rest } = document as { readonly [key: string]: Json };
  const { schemas, ...others } = (components ?? {}) as { readonly [key: string]: Json };
  if (schemas === undefined) return document;
  return {
    ...rest,
    components: { ...others, schemas: describeMetadata(schemas as { readonly [name: string]: Json }) },
  };
}

function builtinVersion2(document: Json): Rendered {
  return (builtinV2 ??= renderVersion2(document));
}

function render(document: Json): Rendered {
  const text = toGoJson(document);
  return { text, hash: createHash("sha512").update(text).digest("hex").toUpperCase() };
}

/** Go's clients read this one as protocol buffers. */
function renderVersion2(plain: Json): Rendered {
  const { definitions, ...rest } = plain as { readonly [key: string]: Json };
  const document = { ...rest, definitions: describeMetadata(definitions as { readonly [name: string]: Json }) };
  const protobuf = once(async () => {
    const { toProtobuf } = await import("./gnostic/version2.ts");
    return toProtobuf(document);
  });
  return { ...render(document), protobuf };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}

function serveIndex({ v3 }: Documents, remote: readonly RemoteVersion[]): Answer {
  const own = [...v3].map(([path, document]) => [path, `/openapi/v3/${path}?hash=${document().hash}`] as const);
  const others = remote
    .filter((one) => one.isAvailable)
    .map(({ group, version }) => [`apis/${group}/${version}`, `/openapi/v3/apis/${group}/${version}`] as const);
  const paths = Object.fromEntries(
    [...own, ...others]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([path, serverRelativeURL]) => [path, { serverRelativeURL }]),
  );
  const headers = { "content-type": "text/plain; charset=utf-8", vary: "Accept" };
  return { status: 200, headers, body: toGoJson({ paths }) };
}

const json = "application/json";
const protobuf = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";

/** The form that a client wants most; the older name of the second one has an `@` in it. */
function formOf({ call }: Exchange, offered: readonly string[]): string | undefined {
  const accept = headerOf(call, "accept") ?? "";
  for (const { type, subtype } of parseAccept(accept === "" ? "*/*" : accept)) {
    if (type !== "*" && type !== "application") continue;
    const name = `application/${subtype.replace(".v2@v1.0", ".v2.v1.0")}`;
    const form = offered.find((one) => subtype === "*" || one === name);
    if (form !== undefined) return form;
  }
  return undefined;
}

async function serveDocument(exchange: Exchange, document: Rendered): Promise<Answer> {
  const form = formOf(exchange, document.protobuf === undefined ? [json] : [json, protobuf]);
  if (form === undefined) return { status: 406, headers: { vary: "Accept" }, body: "" };
  const etag = `"${document.hash}"`;
  const headers = { "content-type": form, etag, vary: "Accept" };
  if (headerOf(exchange.call, "if-none-match") === etag) return { status: 304, headers, body: "" };
  const body = form === protobuf ? await document.protobuf?.() : undefined;
  return { status: 200, headers, body: body ?? document.text };
}

/** A document that was asked for by its hash never changes and may be kept for a year; an old hash leads to the new one. */
async function serveVersion3(exchange: Exchange, document: Rendered): Promise<Answer> {
  const { query, path, parts } = exchange;
  const answer = await serveDocument(exchange, document);
  const asked = query.get("hash") ?? "";
  if (asked === "" || answer.status === 406) return answer;
  if (asked !== document.hash) {
    const headers = { ...answer.headers, location: `${path}?hash=${document.hash}` };
    return { status: 301, headers, body: "" };
  }
  const expires = new Date(parts.clock.now() + yearInMilliseconds).toUTCString().replace("GMT", "UTC");
  return { ...answer, headers: { ...answer.headers, "cache-control": "public, immutable", expires } };
}

const yearInMilliseconds = 365 * 24 * 60 * 60 * 1000;
