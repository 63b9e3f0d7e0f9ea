/** Catalogs and bundles of ClusterExtensions for tests. */
import type { Catalog, CatalogBundle, CatalogPackage, ChannelEntry } from "@capstan/bundle";
import { ClusterCatalog, ClusterExtension, type Manifest } from "@capstan/lifecycle";
import type { World } from "./world.ts";

/** A version of a package. */
export interface VersionSpec {
  readonly version: string;
  readonly replaces?: string;
  readonly deprecation?: string;
}

/** A package with one channel. */
export function packageOf(name: string, versions: readonly VersionSpec[]): CatalogPackage {
  const entries = versions.map(({ version, replaces }): [string, ChannelEntry] => [
    `${name}.v${version}`,
    { name: `${name}.v${version}`, skips: [], ...(replaces === undefined ? {} : { replaces }) },
  ]);
  const bundles = versions.map(({ version, deprecation }): [string, CatalogBundle] => [
    `${name}.v${version}`,
    {
      name: `${name}.v${version}`,
      package: name,
      image: `registry.example/${name}:${version}`,
      version,
      properties: [],
      relatedImages: [],
      ...(deprecation === undefined ? {} : { deprecation }),
    },
  ]);
  const channel = { name: "stable", package: name, entries: new Map(entries), properties: [] };
  const channels = new Map([["stable", channel]]);
  return { name, defaultChannel: "stable", channels, bundles: new Map(bundles), properties: [] };
}

/** A catalog of packages. */
export function catalogOf(...packages: readonly CatalogPackage[]): Catalog {
  return { packages: new Map(packages.map((each) => [each.name, each])) };
}

/** Puts a catalog into the registry of a world, and a ClusterCatalog for it on the cluster. */
export async function putClusterCatalog(
  world: World,
  name: string,
  { catalog, digest, spec = {} }: { readonly catalog: Catalog; readonly digest: string; readonly spec?: object },
): Promise<void> {
  const ref = `registry.example/${name}:latest`;
  world.images.set(ref, { catalog, digest: `sha256:${digest.repeat(64)}` });
  const source = { type: "Image", image: { ref, pollIntervalMinutes: 1 } };
  await world.cluster.apply(ClusterCatalog, { metadata: { name }, spec: { source, ...spec } }, "test");
}

/** Puts a bundle into the registry of a world. */
export function putBundle(world: World, name: string, version: string, objects: readonly Manifest[]): void {
  world.images.set(`registry.example/${name}:${version}`, objects);
}

/** Asks for a package. */
export async function extend(
  world: World,
  name: string,
  { catalog = {}, ...spec }: { readonly catalog?: object; readonly [field: string]: unknown } = {},
): Promise<void> {
  const source = { sourceType: "Catalog" as const, catalog: { packageName: name, ...catalog } };
  const full = { namespace: name, source, serviceAccount: { name: "unused" }, ...spec };
  await world.cluster.apply(ClusterExtension, { metadata: { name }, spec: full }, "test");
}

/** Waits until a condition of an extension has a reason. */
export async function untilReason(
  world: World,
  name: string,
  { type, reason, message = "" }: { readonly type: string; readonly reason: string; readonly message?: string },
): Promise<ClusterExtension | undefined> {
  return world.until(
    `${name} is ${type} ${reason}`,
    () => world.cluster.get(ClusterExtension, { namespace: "", name }),
    (seen) =>
      seen?.status?.conditions?.some(
        (each) => each.type === type && each.reason === reason && (each.message ?? "").includes(message),
      ) === true,
  );
}
