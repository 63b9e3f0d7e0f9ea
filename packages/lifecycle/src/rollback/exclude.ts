/** Catalogs without the versions that Subscriptions exclude. */
import type { CatalogPackage } from "@capstan/bundle";
import type { Subscription } from "../kinds/subscription.ts";
import type { CatalogSnapshot } from "../resolve/resolution.ts";
import { excludedOf } from "./annotations.ts";

/** The snapshots as the Subscriptions may use them. */
export function withoutExcluded(
  snapshots: readonly CatalogSnapshot[],
  subscriptions: readonly Subscription[],
): readonly CatalogSnapshot[] {
  return subscriptions.reduce((all, subscription) => {
    const excluded = new Set(excludedOf(subscription));
    if (excluded.size === 0) return all;
    return all.map((snapshot) => {
      if (snapshot.state !== "ready") return snapshot;
      const found = snapshot.catalog.packages.get(subscription.spec.name);
      if (found === undefined) return snapshot;
      const packages = new Map(snapshot.catalog.packages).set(found.name, without(found, excluded));
      return { ...snapshot, catalog: { ...snapshot.catalog, packages } };
    });
  }, snapshots);
}

function without(found: CatalogPackage, excluded: ReadonlySet<string>): CatalogPackage {
  const bundles = new Map([...found.bundles].filter(([name]) => !excluded.has(name)));
  const channels = [...found.channels].flatMap(([name, channel]) => {
    const entries = new Map([...channel.entries].filter(([entry]) => !excluded.has(entry)));
    return entries.size === 0 ? [] : [[name, { ...channel, entries }] as const];
  });
  return { ...found, bundles, channels: new Map(channels) };
}
