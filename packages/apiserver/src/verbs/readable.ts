/** Whole lists and watches of kube-apiserver come from a watch cache. An object that cannot be converted stops it. */
import { notReady } from "../custom/not-ready.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { Unreadable } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import { StoppedStore } from "../store/past.ts";
import type { Store } from "../store/store.ts";
import type { ListOptions } from "./options.ts";

/**
 * Throws if the watch cache could not be filled, because an object from before its start cannot be converted. Later objects fail when
 * they are read. Synchronous, unless the kind has a conversion webhook.
 */
export function checkReadable(exchange: ResourceExchange): void | Promise<void> {
  const { since = Infinity } = exchange.resource.conversion ?? {};
  const found = findUnreadable(exchange, ({ revision }) => revision <= since);
  return found instanceof Promise ? found.then((one) => refuse(exchange, one)) : refuse(exchange, found);
}

/** The state of the watch cache: it stops before the first object that it cannot convert. */
export function readableStore(exchange: ResourceExchange): Store | Promise<Store> {
  const found = findUnreadable(exchange, () => true);
  return found instanceof Promise ? found.then((one) => storeBefore(exchange, one)) : storeBefore(exchange, found);
}

type Found = Unreadable | undefined;

/** The oldest entry that cannot be converted. */
function findUnreadable(
  { resource: { conversion, storage }, parts: { store } }: ResourceExchange,
  counts: (entry: Entry) => boolean,
): Found | Promise<Found> {
  if (conversion?.unreadable === undefined) return undefined;
  const entries = store.collection(storage).entries().filter(counts);
  return conversion.unreadable(entries.sort((a, b) => a.revision - b.revision));
}

function refuse({ resource }: ResourceExchange, found: Found): void {
  if (found !== undefined) throw notReady(resource, found.error);
}

function storeBefore(exchange: ResourceExchange, found: Found): Store {
  const { store, clock } = exchange.parts;
  if (found === undefined) return store;
  const { since = 0 } = exchange.resource.conversion ?? {};
  if (found.entry.revision <= since) refuse(exchange, found);
  return new StoppedStore(store, { clock, revision: found.entry.revision - 1 });
}

/** Whether a list comes from the watch cache, even if that is not ready; pages and exact revisions do not. */
export function isFromCache(options: ListOptions): boolean {
  const { continue: token, limit, resourceVersion, resourceVersionMatch, labelSelector, fieldSelector } = options;
  if (token !== "" || resourceVersionMatch === "Exact") return false;
  if (limit <= 0) return true;
  const isLegacyExact = resourceVersionMatch === "" && resourceVersion !== "" && resourceVersion !== "0";
  return !isLegacyExact && (labelSelector.length > 0 || fieldSelector.length > 0);
}
