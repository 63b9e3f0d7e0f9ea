/** list: the objects of a resource, whole or in pages. */
import { toGoJson } from "@capstan/model";
import type { Answer, LiveBody } from "../answer.ts";
import { mediaTypes } from "../encode/media.ts";
import { toPartialMetadata } from "../encode/partial-metadata.ts";
import { goNameOf, notAcceptable, respondJson } from "../encode/respond.ts";
import { hasPlainRows, rowMaker, tableOf } from "../encode/table.ts";
import type { ResourceExchange } from "../exchange.ts";
import { encodeProtobufItem, encodeProtobufList } from "../protobuf/protobuf.ts";
import type { Turns } from "../flow/pacer.ts";
import type { ServedResource } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import type { ListPage } from "../store/list.ts";
import { listSelected } from "./list-selected.ts";
import { parseListOptions } from "./options.ts";
import { presentAll } from "./present.ts";
import { selectionOf } from "./selection.ts";

/** Serves a GET of a collection. */
export async function list(exchange: ResourceExchange): Promise<Answer> {
  const { resource, info, query } = exchange;
  const options = parseListOptions(query, false);
  const selection = selectionOf(resource, { namespace: info.namespace }, options);
  return respondPage(exchange, await listSelected(exchange, options, selection));
}

/** A page in the version and format of the request. */
export async function respondPage(exchange: ResourceExchange, page: ListPage): Promise<Answer> {
  const { resource, media } = exchange;
  const isPlain = media.transform === undefined && media.format === "json" && !media.pretty;
  if (isPlain && resource.conversion === undefined) return respondEntries(resource, page);
  return respondShown(exchange, page, await shown(resource, page.entries));
}

/** An item in the version of the request. Entries of the store parse their object on demand. */
type Shown = Pick<Entry, "object">;

async function shown(resource: ServedResource, entries: readonly Entry[]): Promise<readonly Shown[]> {
  if (resource.conversion === undefined) return entries;
  const stored = entries.map(({ object }) => object);
  return (await presentAll(resource, stored)).map((object) => ({ object }));
}

/** Lists up to this length are sent at once. */
const bytesAtOnce = 128 * 1024;
/** About this many bytes are sent, and encrypted, per turn of the event loop: a request needs several turns, so each must be short. */
const bytesPerTurn = 64 * 1024;

/** Joins the texts of the entries; long lists yield to other requests. */
function respondEntries(resource: ServedResource, page: ListPage): Answer {
  const [head, tail] = listFrame(resource, page);
  const headers = { "content-type": mediaTypes.json };
  const { entries } = page;
  if (!isLonger(entries, bytesAtOnce)) {
    return { status: 200, headers, body: itemsBytes(resource, entries, { before: head, after: `${tail}\n` }) };
  }
  return { status: 200, headers, body: itemsInTurns(resource, entries, { head, tail }), compressible: true };
}

/** Whether the texts of the entries together have more bytes. */
function isLonger(entries: readonly Entry[], most: number): boolean {
  let length = 0;
  for (const { line } of entries) if ((length += line.length) > most) return true;
  return false;
}

function itemsInTurns(
  resource: ServedResource,
  entries: readonly Entry[],
  { head, tail }: { head: string; tail: string },
): LiveBody {
  let at = 0;
  return inTurns(() => {
    const items = entries.slice(at, pieceEnd(entries, at));
    const before = at === 0 ? head : ",";
    at += items.length;
    const isLast = at >= entries.length;
    return { chunk: itemsBytes(resource, items, { before, after: isLast ? `${tail}\n` : "" }), isLast };
  });
}

/** The end of a piece that begins at an index: it has at least one entry. */
function pieceEnd(entries: readonly Entry[], from: number): number {
  let end = from;
  for (let length = 0; end < entries.length && length < bytesPerTurn; end++) length += entries[end]?.line.length ?? 0;
  return end;
}

function bytesInTurns(bytes: Uint8Array): LiveBody {
  let at = 0;
  return inTurns(() => {
    const chunk = bytes.subarray(at, at + bytesPerTurn);
    at += bytesPerTurn;
    return { chunk, isLast: at >= bytes.length };
  });
}

interface Piece {
  readonly chunk: string | Uint8Array;
  readonly isLast: boolean;
}

/** A body in pieces that yields between them and stays within the sink's buffer. */
function inTurns(next: () => Piece): LiveBody {
  return (sink) => {
    let timer: NodeJS.Immediate | undefined;
    let isStopped = false;
    const turn = (): void => {
      if (isStopped) return;
      const { chunk, isLast } = next();
      sink.write(chunk);
      if (isLast) sink.end();
      else if (sink.isFull) sink.whenDrained(turn);
      else if (sink.later !== undefined) sink.later(turn);
      else timer = setImmediate(turn);
    };
    turn();
    return () => {
      isStopped = true;
      clearImmediate(timer);
    };
  };
}

/** The texts of entries, separated by commas, with the start and the end of the list. */
function itemsBytes(
  resource: ServedResource,
  entries: readonly Entry[],
  { before, after }: { readonly before: string; readonly after: string },
): Uint8Array {
  const [opening, cut] = itemStart(resource);
  const between = Buffer.from(`,${opening}`);
  const parts: Uint8Array[] = [Buffer.from(before)];
  for (const { line } of entries) {
    parts.push(parts.length === 1 ? Buffer.from(opening) : between, line.subarray(cut, -1));
  }
  parts.push(Buffer.from(after));
  return Buffer.concat(parts);
}

function itemText(resource: ServedResource, json: string): string {
  const [opening, cut] = itemStart(resource);
  return opening + json.slice(cut);
}

/** Items of built-in lists have no kind and apiVersion: these are the start of an object's text, which is cut off. */
function itemStart(resource: ServedResource): [opening: string, cut: number] {
  return resource.isCustom ? ["", 0] : ["{", typeMetaLength(resource)];
}

/** The length of `{"kind":"Pod","apiVersion":"v1",`. */
function typeMetaLength({ kind, apiVersion }: ServedResource): number {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}",`.length;
}

/** The text before and after the items. Custom lists are maps in Go: their keys are sorted. */
function listFrame({ listKind, apiVersion, isCustom }: ServedResource, page: ListPage): [head: string, tail: string] {
  const metadata = toGoJson(listMeta(page, isCustom));
  return isCustom
    ? [`{"apiVersion":"${apiVersion}","items":[`, `],"kind":"${listKind}","metadata":${metadata}}`]
    : [`{"kind":"${listKind}","apiVersion":"${apiVersion}","metadata":${metadata},"items":[`, "]}"];
}

interface ListMeta {
  readonly resourceVersion?: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

/** Custom lists are maps in Go: their keys are sorted, and an empty continue is written. A list that is not stored has no revision. */
function listMeta(page: ListPage, isCustom: boolean): ListMeta {
  if (page.revision === 0) return {};
  const resourceVersion = String(page.revision);
  const next = page.continue === "" && !isCustom ? {} : { continue: page.continue };
  const remaining = page.remaining === undefined ? {} : { remainingItemCount: page.remaining };
  return isCustom ? { ...next, ...remaining, resourceVersion } : { resourceVersion, ...next, ...remaining };
}

async function respondShown(exchange: ResourceExchange, page: ListPage, all: readonly Shown[]): Promise<Answer> {
  const { resource, media } = exchange;
  const meta = listMeta(page, false);
  switch (media.transform?.kind) {
    case undefined:
      return media.format === "protobuf" ? respondMessages(exchange, page, all) : respondTexts(exchange, page, all);
    case "Table": {
      const makeRow = rowMaker(exchange);
      const rows = await eachInTurns(exchange.turns, inTableOrder(resource, all), ({ object }) =>
        toGoJson(makeRow(object)),
      );
      const frame = toGoJson(tableOf(exchange, [], meta));
      if (rows.length === 0 && hasPlainRows(resource))
        return respondJson(200, frame.replace(/\[\]\}$/, "null}"), media);
      return respondJson(200, `${frame.slice(0, -"]}".length)}${rows.join(",")}]}`, media);
    }
    case "PartialObjectMetadataList": {
      const { version } = media.transform;
      const items = await eachInTurns(exchange.turns, all, ({ object }) =>
        toPartialMetadata(resource, object, version),
      );
      const value = {
        kind: "PartialObjectMetadataList",
        apiVersion: `meta.k8s.io/${version}`,
        metadata: meta,
        items: orNull(items),
      };
      return respondJson(200, toGoJson(value), media);
    }
    case "PartialObjectMetadata":
      throw notAcceptable(
        `you requested PartialObjectMetadata, but the requested object is a list (${goNameOf(resource, resource.listKind)})`,
      );
  }
}

function inTableOrder({ rules }: ServedResource, all: readonly Shown[]): readonly Shown[] {
  const table = rules.serves === "answers" ? undefined : rules.table;
  const compare = table?.compare?.bind(table);
  return compare === undefined ? all : all.toSorted((one, other) => compare(one.object, other.object));
}

async function respondTexts(
  { resource, media, turns }: ResourceExchange,
  page: ListPage,
  all: readonly Shown[],
): Promise<Answer> {
  const items = await eachInTurns(turns, all, ({ object }) => itemText(resource, toGoJson(object)));
  const [head, tail] = listFrame(resource, page);
  return respondJson(200, `${head}${items.join(",")}${tail}`, media);
}

async function respondMessages(
  { resource: { apiVersion, listKind: kind, isCustom }, turns }: ResourceExchange,
  page: ListPage,
  all: readonly Shown[],
): Promise<Answer> {
  const items = await eachInTurns(turns, all, ({ object }) => encodeProtobufItem(object));
  const body = encodeProtobufList({ apiVersion, kind, metadata: listMeta(page, isCustom) }, items);
  const headers = { "content-type": mediaTypes.protobuf };
  return { status: 200, headers, body: body.length <= bytesPerTurn ? body : bytesInTurns(body) };
}

/** Maps long lists in pieces and yields to other requests between them. */
async function eachInTurns<T, R>(turns: Turns, items: readonly T[], make: (item: T) => R): Promise<R[]> {
  const made: R[] = [];
  for (const item of items) {
    if (turns.isOver()) await turns.next();
    made.push(make(item));
  }
  return made;
}

/** A nil slice of Go is null in JSON. */
function orNull<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}
