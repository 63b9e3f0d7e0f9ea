/** Reads the catalog in a ConfigMap: packages, ClusterServiceVersions and CRDs as YAML lists. */
import type { Catalog, CatalogBundle, CatalogPackage, Channel, ChannelEntry, Property } from "@capstan/bundle";
import { readYamlDocuments } from "@capstan/bundle";
import type { Manifest } from "../csv/permissions.ts";
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import { CatalogError } from "./errors.ts";

interface PackageEntry {
  readonly packageName: string;
  readonly defaultChannel?: string;
  readonly channels: readonly { readonly name: string; readonly currentCSV: string }[];
}

/** The key of a ConfigMap with what the lists of the original have no place for; OLM ignores it. */
export const extrasKey = "bundleExtras";

/** The other objects of a bundle and its requirements. */
export interface BundleExtras {
  /** The name of the ClusterServiceVersion. */
  readonly operator: string;
  readonly objects: readonly Manifest[];
  readonly properties: readonly Property[];
}

/** The catalog of the data of a ConfigMap. */
export function readConfigMapCatalog(data: { readonly [key: string]: string }): Catalog {
  const csvs = new Map(
    // The lists of such a ConfigMap hold these kinds.
    (listIn(data, "clusterServiceVersions") as readonly ClusterServiceVersion[]).map((csv) => [csv.metadata.name, csv]),
  );
  const crds = listIn(data, "customResourceDefinitions") as readonly Manifest[];
  const packages = listIn(data, "packages") as readonly PackageEntry[];
  const extras = new Map((listIn(data, extrasKey) as readonly BundleExtras[]).map((each) => [each.operator, each]));
  return { packages: new Map(packages.map((each) => [each.packageName, toPackage(each, { csvs, crds, extras })])) };
}

function listIn(data: { readonly [key: string]: string }, key: string): readonly unknown[] {
  const text = data[key];
  if (text === undefined) return [];
  const [document] = readYamlDocuments(text);
  const [problem] = document?.errors ?? [];
  if (problem !== undefined)
    throw new CatalogError("Malformed", `${key} of the ConfigMap is not valid YAML: ${problem.message}`);
  const value: unknown = document?.toJS();
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) throw new CatalogError("Malformed", `${key} of the ConfigMap is not a list`);
  return value;
}

interface Content {
  readonly csvs: ReadonlyMap<string, ClusterServiceVersion>;
  readonly crds: readonly Manifest[];
  readonly extras: ReadonlyMap<string, BundleExtras>;
}

function toPackage({ packageName, defaultChannel, channels }: PackageEntry, content: Content): CatalogPackage {
  const made = channels.map(({ name, currentCSV }) => toChannel({ name, package: packageName }, currentCSV, content));
  const names = new Set(made.flatMap(({ entries }) => [...entries.keys()]));
  const bundles = [...names].flatMap((name) => {
    const csv = content.csvs.get(name);
    return csv === undefined ? [] : [[name, toBundle(csv, packageName, content)] as const];
  });
  return {
    name: packageName,
    defaultChannel: defaultChannel ?? channels[0]?.name ?? "",
    channels: new Map(made.map((channel) => [channel.name, channel])),
    bundles: new Map(bundles),
    properties: [],
  };
}

/** A channel from its head down the replacements. */
function toChannel(channel: Pick<Channel, "name" | "package">, head: string, { csvs }: Content): Channel {
  if (!csvs.has(head)) {
    throw new CatalogError(
      "Malformed",
      `the channel ${channel.name} of the package ${channel.package} names ${head}, which the ConfigMap does not contain`,
    );
  }
  const entries = new Map<string, ChannelEntry>();
  for (
    let csv = csvs.get(head);
    csv !== undefined && !entries.has(csv.metadata.name);
    csv = csvs.get(csv.spec.replaces ?? "")
  ) {
    const skipRange = csv.metadata.annotations?.["olm.skipRange"];
    const { replaces, skips = [] } = csv.spec;
    entries.set(csv.metadata.name, {
      name: csv.metadata.name,
      skips,
      ...(replaces === undefined || replaces === "" ? {} : { replaces }),
      ...(skipRange === undefined ? {} : { skipRange }),
    });
  }
  return { ...channel, entries, properties: [] };
}

function toBundle(csv: ClusterServiceVersion, packageName: string, { crds, extras }: Content): CatalogBundle {
  const extra = extras.get(csv.metadata.name);
  const { owned = [], required = [] } = csv.spec.customresourcedefinitions ?? {};
  const names = new Set(owned.map(({ name }) => name));
  const objects = [csv, ...crds.filter(({ metadata }) => names.has(metadata.name ?? "")), ...(extra?.objects ?? [])];
  const gvk = (type: string) => (crd: (typeof owned)[number]) => {
    const group = crd.name.slice(crd.name.indexOf(".") + 1);
    return { type, value: { group, version: crd.version, kind: crd.kind } };
  };
  const version = csv.spec.version ?? "";
  return {
    name: csv.metadata.name,
    package: packageName,
    image: "",
    version,
    relatedImages: [],
    properties: [
      { type: "olm.package", value: { packageName, version } },
      ...owned.map(gvk("olm.gvk")),
      ...required.map(gvk("olm.gvk.required")),
      ...(extra?.properties ?? []),
      ...objects.map((object) => ({
        type: "olm.bundle.object",
        value: { data: Buffer.from(JSON.stringify(object)).toString("base64") },
      })),
    ],
  };
}
