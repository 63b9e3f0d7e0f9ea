/** deletecollection: deletes all objects that a list returns. */
import { apiErrors, StatusError } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { ResourceExchange } from "../exchange.ts";
import { removeObject, warnOfPropagation } from "./delete.ts";
import { readDeleteOptions } from "./delete-options.ts";
import type { ListPage } from "../store/list.ts";
import { respondPage } from "./list.ts";
import { listSelected } from "./list-selected.ts";
import { parseListOptions, type ListOptions } from "./options.ts";
import { presentAll } from "./present.ts";
import { selectionOf, type Selection } from "./selection.ts";

/** Serves a DELETE of a collection; returns the list of its objects. */
export async function removeCollection(exchange: ResourceExchange): Promise<Answer> {
  const { resource, info, query } = exchange;
  const listOptions = parseListOptions(query, false);
  const selection = selectionOf(resource, { namespace: info.namespace }, listOptions);
  const options = await readDeleteOptions(exchange);
  warnOfPropagation(exchange, options);
  const page = await everyPage(exchange, listOptions, selection);
  // An object that cannot be converted cannot be deleted: then none is.
  await presentAll(
    resource,
    page.entries.map(({ object }) => object),
  );
  const { isScoped, namespace: asked } = exchange.info;
  if (isScoped && asked === "" && page.entries.length > 0) throw apiErrors.badRequest("Namespace parameter required.");
  for (const { object } of page.entries) {
    const { name = "", namespace = "" } = object.metadata;
    try {
      await removeObject(inNamespace(exchange, namespace, name), name, options);
    } catch (error) {
      if (!(error instanceof StatusError) || error.code !== "NotFound") throw error;
    }
  }
  return respondPage(exchange, page);
}

const pageSize = 10_000;

/** kube-apiserver always lists page by page, so a given resourceVersion means an exact match. */
async function everyPage(exchange: ResourceExchange, options: ListOptions, selection: Selection): Promise<ListPage> {
  if (options.limit > 0) return listSelected(exchange, options, selection);
  const first = await listSelected(exchange, { ...options, limit: pageSize }, selection);
  const entries = [...first.entries];
  for (let page = first; page.continue !== "";) {
    const next = {
      ...options,
      limit: pageSize,
      continue: page.continue,
      resourceVersion: "",
      resourceVersionMatch: "",
    };
    page = await listSelected(exchange, next as ListOptions, selection);
    entries.push(...page.entries);
  }
  return { ...first, entries };
}

/** The same request for one object; a list over all namespaces deletes in each of them. */
function inNamespace(exchange: ResourceExchange, namespace: string, name: string): ResourceExchange {
  const { call, path, query, auditId, user, parts, warnings, turns, trail } = exchange;
  const { resource, subresource, media, context } = exchange;
  const info = { ...exchange.info, namespace, name };
  const known = { call, path, query, auditId, user, parts, warnings, turns, trail };
  return { ...known, resource, subresource, media, context, info };
}
