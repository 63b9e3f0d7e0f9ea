/** Catalogs in which some bundles stay where they are in their channels and cannot be chosen. */
import type { CatalogPackage } from "@capstan/bundle";
import type { CatalogSnapshot } from "./resolution.ts";

/** The type of the property that keeps a bundle from being chosen. Its value says why. */
export const heldProperty = "lifecycle.capstan.dev/held";

/** A bundle that cannot be chosen. */
export interface Hold {
  readonly name: string;
  readonly reason: string;
}

/** The snapshots in which bundles of a package are held. The order of its channels stays, because the entries stay. */
export function withHolds(
  snapshots: readonly CatalogSnapshot[],
  { of, holds }: { readonly of: string; readonly holds: (found: CatalogPackage) => readonly Hold[] },
): readonly CatalogSnapshot[] {
  return snapshots.map((snapshot) => {
    const found = snapshot.state === "ready" ? snapshot.catalog.packages.get(of) : undefined;
    if (snapshot.state !== "ready" || found === undefined) return snapshot;
    const held = holds(found);
    if (held.length === 0) return snapshot;
    const packages = new Map(snapshot.catalog.packages).set(of, hold(found, held));
    return { ...snapshot, catalog: { ...snapshot.catalog, packages } };
  });
}

function hold(found: CatalogPackage, holds: readonly Hold[]): CatalogPackage {
  const bundles = new Map(found.bundles);
  for (const { name, reason } of holds) {
    const bundle = bundles.get(name);
    if (bundle === undefined) continue;
    bundles.set(name, { ...bundle, properties: [...bundle.properties, { type: heldProperty, value: reason }] });
  }
  return { ...found, bundles };
}
