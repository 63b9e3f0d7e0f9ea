/** OpenAPI documents as they are served: rendered on first use and cached until the served resources change. */
import { createHash } from "node:crypto";
import { toGoJson, type Json } from "@capstan/model";
import type { RemoteDocuments } from "../aggregate/remote-documents.ts";
import type { Registry } from "../resources/registry.ts";
import { customDocuments, mergeVersion2 } from "./custom.ts";
import { mergeDocuments, type Version2Document } from "./merge.ts";
import { describeMetadata } from "./metadata-descriptions.ts";

/** A document as JSON and as protobuf, with its hash (ETag). */
export interface Rendered {
  readonly text: string;
  readonly hash: string;
  readonly protobuf: () => Promise<Uint8Array>;
}

export interface Documents {
  /** By path: `apis/apps/v1`. */
  readonly v3: ReadonlyMap<string, () => Rendered>;
  readonly v2: () => Rendered;
}

/** The documents of this server, without aggregated servers. */
interface OwnDocuments extends Documents {
  readonly generation: number;
  readonly version2: () => Version2Document;
}

/** The documents of this server and of aggregated servers. */
interface JoinedDocuments extends Documents {
  readonly generation: number;
}

const ownOnes = new WeakMap<Registry, OwnDocuments>();
const joinedOnes = new WeakMap<OwnDocuments, JoinedDocuments>();
const builtinTexts = new Map<string, Rendered>();
let builtinV2: Rendered | undefined;

/** The documents of the resources that are served now. */
export async function documentsOf(registry: Registry, remote: RemoteDocuments): Promise<Documents> {
  const own = await ownDocuments(registry);
  if (remote.generation === 0) return own;
  let joined = joinedOnes.get(own);
  if (joined?.generation !== remote.generation) joinedOnes.set(own, (joined = join(own, remote)));
  return joined;
}

/** Aggregated servers serve their v3 documents themselves; for servers with v2 only, v3 is converted. */
function join(own: OwnDocuments, remote: RemoteDocuments): JoinedDocuments {
  const converted = [...remote.converted()].map(
    ([path, document]) => [path, once(() => render(document, version3Bytes))] as const,
  );
  const others = remote.version2();
  const merged = once(() => render(mergeDocuments(own.version2(), others), version2Bytes));
  return {
    generation: remote.generation,
    v3: new Map([...converted, ...own.v3]),
    v2: others.length === 0 ? own.v2 : merged,
  };
}

async function ownDocuments(registry: Registry): Promise<OwnDocuments> {
  const known = ownOnes.get(registry);
  if (known !== undefined && known.generation === registry.generation) return known;
  const { openApiV2, openApiV3 } = await import("@capstan/kinds/openapi");
  const v3 = new Map<string, () => Rendered>();
  for (const [path, document] of Object.entries(openApiV3())) v3.set(path, () => renderBuiltin(path, document as Json));
  const builtin = { v3: openApiV3() as unknown as { readonly [path: string]: Json }, v2: openApiV2() as Json };
  const custom = customDocuments(registry, builtin);
  for (const [path, document] of custom) {
    v3.set(
      path,
      once(() => render(document, version3Bytes)),
    );
  }
  const isBare = custom.size === 0;
  const version2 = once(() => withDefinitions(isBare ? builtin.v2 : mergeVersion2(builtin.v2, registry)));
  const renderOwn = once(() => render(version2(), version2Bytes));
  const v2 = isBare ? (): Rendered => (builtinV2 ??= renderOwn()) : renderOwn;
  const documents = { generation: registry.generation, v3, v2, version2 };
  ownOnes.set(registry, documents);
  return documents;
}

function renderBuiltin(name: string, document: Json): Rendered {
  let text = builtinTexts.get(name);
  if (text === undefined) builtinTexts.set(name, (text = render(withMetadata(document), version3Bytes)));
  return text;
}

/** A v3 document with descriptions of the metadata fields. */
function withMetadata(document: Json): Json {
  const { components, ...rest } = document as { readonly [key: string]: Json };
  const { schemas, ...others } = (components ?? {}) as { readonly [key: string]: Json };
  if (schemas === undefined) return document;
  return {
    ...rest,
    components: { ...others, schemas: describeMetadata(schemas as { readonly [name: string]: Json }) },
  };
}

/** The same for version 2. */
function withDefinitions(document: Json): Version2Document {
  const { definitions, ...rest } = document as { readonly [key: string]: Json };
  return { ...rest, definitions: describeMetadata(definitions as { readonly [name: string]: Json }) };
}

type ToBytes = (document: Json) => Promise<Uint8Array>;

const version2Bytes: ToBytes = async (document) => (await import("./gnostic/version2.ts")).toProtobuf(document);
const version3Bytes: ToBytes = async (document) => (await import("./gnostic/version3.ts")).toProtobuf(document);

/** Caches the JSON text only: protobuf is requested rarely and generated from the text. */
function render(document: Json, toBytes: ToBytes): Rendered {
  const text = toGoJson(document);
  const hash = createHash("sha512").update(text).digest("hex").toUpperCase();
  return { text, hash, protobuf: once(() => toBytes(JSON.parse(text) as Json)) };
}

function once<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => (made ??= make());
}
