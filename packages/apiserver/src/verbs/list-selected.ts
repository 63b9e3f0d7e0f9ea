/** Lists with selectors. Custom objects are matched in their served version, which may need a webhook. */
import type { KubeObject } from "@capstan/model";
import { PendingConversionError, withConversions } from "../custom/pending-conversion.ts";
import type { ResourceExchange } from "../exchange.ts";
import { listPage, type ListPage, type ListQuery } from "../store/list.ts";
import type { Store } from "../store/store.ts";
import type { ListOptions } from "./options.ts";
import { checkReadable, isFromCache, readableStore } from "./readable.ts";
import { storedMatcher, type Selection } from "./selection.ts";

/** The page that the options request. */
export async function listSelected(
  exchange: ResourceExchange,
  options: ListOptions,
  selection: Selection,
): Promise<ListPage> {
  const { resource } = exchange;
  const store = await storeFor(exchange, options);
  const { key, prefix } = selection;
  const matches = storedMatcher(resource, selection);
  const query = { ...options, prefix, ...(key === undefined ? {} : { key }) };
  const collection = store.collection(resource.storage);
  const judge = matches && withoutWaiting(matches, () => collection.withPrefix(prefix).map(({ object }) => object));
  return withConversions(() => listPage(store, resource.storage, { ...query, matches: judge }));
}

/**
 * A list without a resourceVersion reads the store, but fails if the watch cache could not be filled. Other cached lists read the state
 * of the watch cache.
 */
async function storeFor(exchange: ResourceExchange, options: ListOptions): Promise<Store> {
  const isCached = isFromCache(options);
  if (isCached && options.resourceVersion !== "") return readableStore(exchange);
  if (isCached) await checkReadable(exchange);
  return exchange.parts.store;
}

type Matcher = NonNullable<ReturnType<typeof storedMatcher>>;

/** A synchronous matcher. If a result is missing, it is awaited together with those of all other objects, so that one wait suffices. */
function withoutWaiting(matches: Matcher, others: () => readonly KubeObject[]): NonNullable<ListQuery["matches"]> {
  const verdicts = new Map<KubeObject, boolean>();
  const keep = async (object: KubeObject, verdict: boolean | Promise<boolean>): Promise<void> => {
    verdicts.set(object, await verdict);
  };
  return (object) => {
    const verdict = verdicts.get(object) ?? matches(object);
    if (typeof verdict === "boolean") return verdict;
    throw new PendingConversionError(async () => {
      const missing = others().filter((one) => one !== object && !verdicts.has(one));
      await Promise.all([keep(object, verdict), ...missing.map((one) => keep(one, matches(one)))]);
    });
  };
}
