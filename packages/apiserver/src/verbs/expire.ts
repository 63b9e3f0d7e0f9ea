/** Objects that expire: events are kept for an hour after their last write. */
import type { KindRules } from "../builtin/rules.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { Entry } from "../store/entry.ts";

/** Removes an object when it expires, unless it was written again. */
export function expireLater({ resource, parts }: Pick<ResourceExchange, "resource" | "parts">, entry: Entry): void {
  const seconds = (resource.rules as KindRules).timeToLive?.(entry.object);
  if (seconds === undefined || seconds <= 0) return;
  parts.clock.later(seconds * 1000, () => {
    if (parts.store.get(resource.storage, entry.key) === entry) parts.store.remove(resource.storage, entry);
  });
}
