/** get: one object by name. */
import { apiErrors, StatusError, toFailure } from "@capstan/model";
import type { Answer } from "../answer.ts";
import { respondEntry, respondObject, respondPresented } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { Entry } from "../store/entry.ts";
import { parseRevision, tooLargeVersion } from "../store/list.ts";
import { requestedKey } from "./requested-key.ts";

/** Serves a GET of one object. */
export async function get(exchange: ResourceExchange): Promise<Answer> {
  const { resource, query } = exchange;
  if (query.has("export")) {
    throw apiErrors.badRequest("the export parameter, deprecated since v1.14, is no longer supported");
  }
  const entry = findEntry(exchange);
  if (resource.conversion === undefined) return respondEntry(exchange, 200, entry);
  const isNewest = (query.get("resourceVersion") ?? "") === "";
  const shown = isNewest ? await resource.conversion.fromStoredNow?.(entry.object) : undefined;
  return shown === undefined ? respondObject(exchange, 200, entry.object) : respondPresented(exchange, 200, shown);
}

/** The requested entry, at least at the requested resourceVersion. */
export function findEntry(exchange: ResourceExchange): Entry {
  const { resource, info, query, parts } = exchange;
  const asked = parseRevision(query.get("resourceVersion") ?? "", (why) => {
    // kube-apiserver does not cache events, and reads them through another code path.
    if (resource.storage === "events") return apiErrors.badRequest(`invalid resource version: ${why}`);
    return new StatusError(toFailure({ code: 500, reason: "", message: why }));
  });
  if (asked > parts.store.revision) throw tooLargeVersion(asked, parts.store.revision, { resource: resource.storage });
  const entry = parts.store.get(resource.storage, requestedKey(exchange, info.name));
  if (entry === undefined) throw apiErrors.notFound(resource.qualified, info.name);
  return entry;
}
