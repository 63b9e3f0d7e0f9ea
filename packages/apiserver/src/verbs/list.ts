/** list: the objects of a resource, whole or in pages. */
import { toGoJson, type KubeObject } from "@capstan/model";
import type { Answer, LiveBody } from "../answer.ts";
import { mediaTypes } from "../encode/media.ts";
import { toPartialMetadata } from "../encode/partial-metadata.ts";
import { goNameOf, notAcceptable, respondJson } from "../encode/respond.ts";
import { tableOf } from "../encode/table.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { ServedResource } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import type { ListPage } from "../store/list.ts";
import { listSelected } from "./list-selected.ts";
import { parseListOptions } from "./options.ts";
import { presentAll } from "./present.ts";
import { selectionOf } from "./selection.ts";

/** Answers a GET of a collection. */
export async function list(exchange: ResourceExchange): Promise<Answer> {
  const { resource, info, query } = exchange;
  const options = parseListOptions(query, false);
  const selection = selectionOf(resource, { namespace: info.namespace }, options);
  return respondPage(exchange, await listSelected(exchange, options, selection));
}

/** A page in the version and form that the client asked for. */
export async function respondPage(exchange: ResourceExchange, page: ListPage): Promise<Answer> {
  const { resource, media } = exchange;
  const isPlain = media.transform === undefined && media.format === "json" && !media.pretty;
  if (isPlain && resource.conversion === undefined) return respondEntries(resource, page);
  const objects = await presentAll(
    resource,
    page.entries.map((entry) => entry.object),
  );
  return respondObjects(exchange, page, objects);
}

/** How many items go out before other requests get a turn. */
const itemsPerTurn = 500;

/** Joins the texts that the entries keep; long lists in turns, so that nobody waits for them. */
function respondEntries(resource: ServedResource, page: ListPage): Answer {
  const [head, tail] = listFrame(resource, page);
  const headers = { "content-type": mediaTypes.json };
  const { entries } = page;
  if (entries.length <= itemsPerTurn) {
    return { status: 200, headers, body: `${head}${itemsText(resource, entries)}${tail}\n` };
  }
  return { status: 200, headers, body: inTurns(resource, entries, { head, tail }), compressible: true };
}

function inTurns(
  resource: ServedResource,
  entries: readonly Entry[],
  { head, tail }: { head: string; tail: string },
): LiveBody {
  return (sink) => {
    let at = 0;
    let timer: NodeJS.Immediate | undefined;
    const turn = (): void => {
      const items = itemsText(resource, entries.slice(at, at + itemsPerTurn));
      const isFirst = at === 0;
      at += itemsPerTurn;
      const isLast = at >= entries.length;
      sink.write(`${isFirst ? head : ","}${items}${isLast ? `${tail}\n` : ""}`);
      if (isLast) sink.end();
      else if (sink.isFull) sink.whenDrained(turn);
      else timer = setImmediate(turn);
    };
    turn();
    return () => clearImmediate(timer);
  };
}

function itemsText(resource: ServedResource, entries: readonly Entry[]): string {
  return entries.map((entry) => itemText(resource, entry.json)).join(",");
}

/** Items of built-in lists do not say what they are: the text of an object begins with its kind and apiVersion, which are cut off. */
function itemText(resource: ServedResource, json: string): string {
  return resource.isCustom ? json : `{${json.slice(typeMetaLength(resource))}`;
}

/** How long `{"kind":"Pod","apiVersion":"v1",` is. */
function typeMetaLength({ kind, apiVersion }: ServedResource): number {
  return `{"kind":"${kind}","apiVersion":"${apiVersion}",`.length;
}

/** What stands before and after the items. Custom lists are maps in Go: their keys are sorted. */
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

/** Custom lists are maps in Go: their keys are sorted, and an empty continue is written. */
function listMeta(page: ListPage, isCustom: boolean): ListMeta {
  const resourceVersion = String(page.revision);
  const next = page.continue === "" && !isCustom ? {} : { continue: page.continue };
  const remaining = page.remaining === undefined ? {} : { remainingItemCount: page.remaining };
  return isCustom ? { ...next, ...remaining, resourceVersion } : { resourceVersion, ...next, ...remaining };
}

function respondObjects(exchange: ResourceExchange, page: ListPage, objects: readonly KubeObject[]): Answer {
  const { resource, media } = exchange;
  const meta = listMeta(page, false);
  switch (media.transform?.kind) {
    case undefined: {
      const items = objects.map((object) => itemText(resource, toGoJson(object))).join(",");
      const [head, tail] = listFrame(resource, page);
      return respondJson(200, `${head}${items}${tail}`, media);
    }
    case "Table":
      return respondJson(200, toGoJson(tableOf(exchange, objects, meta)), media);
    case "PartialObjectMetadataList": {
      const { version } = media.transform;
      const items = objects.map((object) => toPartialMetadata(resource, object, version));
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

/** A list that Go never began is null. */
function orNull<T>(items: readonly T[]): readonly T[] | null {
  return items.length === 0 ? null : items;
}
