/** What a PackageManifest says about the ClusterServiceVersion at the head of a channel, in the order of OLM's type. */
import type { ClusterServiceVersion } from "../kinds/csv.ts";

/** A description: everything that a catalog page shows. Empty fields are absent. */
export interface CsvDescription {
  readonly icon?: readonly { readonly base64data?: string; readonly mediatype?: string }[];
  readonly version: string;
  readonly provider: { readonly name?: string; readonly url?: string };
  readonly [field: string]: unknown;
}

/** The fields of a ClusterServiceVersion that only displays use. */
interface Displayed {
  readonly displayName?: string;
  readonly description?: string;
  readonly icon?: readonly { readonly base64data?: string; readonly mediatype?: string }[];
  readonly keywords?: readonly string[];
  readonly links?: readonly { readonly name?: string; readonly url?: string }[];
  readonly maintainers?: readonly { readonly name?: string; readonly email?: string }[];
  readonly maturity?: string;
  readonly provider?: { readonly name?: string; readonly url?: string };
  readonly relatedImages?: readonly { readonly image?: string }[];
}

type Described = ClusterServiceVersion["spec"] & Displayed;

/** The description of a ClusterServiceVersion. */
export function describeCsv({ metadata, spec: given }: ClusterServiceVersion): CsvDescription {
  // The fields for displays are not part of what the manager decides on.
  const spec = given as Described;
  const { customresourcedefinitions: crds, apiservicedefinitions: services } = spec;
  return {
    ...some("displayName", spec.displayName),
    ...some("icon", (spec.icon ?? []).map(toIcon)),
    version: spec.version === undefined || spec.version === "" ? "0.0.0" : spec.version,
    provider: { ...some("name", spec.provider?.name), ...some("url", spec.provider?.url) },
    ...some("annotations", metadata.annotations),
    ...some("keywords", spec.keywords),
    ...some(
      "links",
      (spec.links ?? []).map(({ name, url }) => ({ ...some("name", name), ...some("url", url) })),
    ),
    ...some(
      "maintainers",
      (spec.maintainers ?? []).map(({ name, email }) => ({ ...some("name", name), ...some("email", email) })),
    ),
    ...some("maturity", spec.maturity),
    ...some("description", spec.description),
    ...some("installModes", spec.installModes),
    customresourcedefinitions: both(crds, toCrd),
    apiservicedefinitions: both(services, toApiService),
    ...some("nativeApis", spec.nativeAPIs),
    ...some("minKubeVersion", spec.minKubeVersion),
    ...some("relatedImages", imagesOf(spec)),
  };
}

/** A field unless it is empty. */
function some(name: string, value: unknown): object {
  if (value === undefined || value === null || value === "") return {};
  if (typeof value === "object" && Object.keys(value).length === 0) return {};
  return { [name]: value };
}

function toIcon({ base64data, mediatype }: NonNullable<Displayed["icon"]>[number]): object {
  return { ...some("base64data", base64data), ...some("mediatype", mediatype) };
}

function both<T>(
  lists: { readonly owned?: readonly T[]; readonly required?: readonly T[] } | undefined,
  convert: (item: T) => object,
): object {
  return {
    ...some("owned", (lists?.owned ?? []).map(convert)),
    ...some("required", (lists?.required ?? []).map(convert)),
  };
}

interface Api {
  readonly name?: string;
  readonly group?: string;
  readonly version: string;
  readonly kind: string;
  readonly displayName?: string;
  readonly description?: string;
}

function toCrd({ name = "", version, kind, displayName, description }: Api): object {
  return { name, version, kind, ...some("displayName", displayName), ...some("description", description) };
}

function toApiService({ name = "", group = "", version, kind, displayName, description }: Api): object {
  return { name, group, version, kind, ...some("displayName", displayName), ...some("description", description) };
}

/** All images of the Deployments, and those that the ClusterServiceVersion lists, each once and sorted. */
function imagesOf({ install, relatedImages = [] }: Described): readonly string[] {
  const deployments = install.strategy === "deployment" ? (install.spec?.deployments ?? []) : [];
  const containers = deployments.flatMap(({ spec }) => [
    ...(spec.template.spec?.containers ?? []),
    ...(spec.template.spec?.initContainers ?? []),
  ]);
  return [...new Set([...containers, ...relatedImages].map(({ image = "" }) => image))].sort();
}
