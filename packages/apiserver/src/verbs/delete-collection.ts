/** deletecollection: everything that a list would show is deleted. */
import { StatusError } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { ResourceExchange } from "../exchange.ts";
import { removeObject, warnOfPropagation } from "./delete.ts";
import { readDeleteOptions } from "./delete-options.ts";
import { respondPage } from "./list.ts";
import { listSelected } from "./list-selected.ts";
import { parseListOptions } from "./options.ts";
import { selectionOf } from "./selection.ts";

/** Answers a DELETE of a collection with the list of what was there. */
export async function removeCollection(exchange: ResourceExchange): Promise<Answer> {
  const { resource, info, query } = exchange;
  const listOptions = parseListOptions(query, false);
  const selection = selectionOf(resource, { namespace: info.namespace }, listOptions);
  const options = await readDeleteOptions(exchange);
  warnOfPropagation(exchange, options);
  const page = await listSelected(exchange, listOptions, selection);
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

/** The same request for one object; a list over all namespaces deletes in each of them. */
function inNamespace(exchange: ResourceExchange, namespace: string, name: string): ResourceExchange {
  const { call, path, query, auditId, user, parts, warnings, trail, resource, subresource, media, context } = exchange;
  const info = { ...exchange.info, namespace, name };
  return { call, path, query, auditId, user, parts, warnings, trail, resource, subresource, media, context, info };
}
