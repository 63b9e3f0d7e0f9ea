/** The blobs of a file-based catalog, and how Go declares them. */
import type { Json } from "@capstan/model";
import type { Field, GoType, Struct } from "../decode/go-type.ts";
import type { JsonObject } from "../decode/json.ts";
import type { ChannelEntry, Property } from "./model.ts";

/** The schemas that OLM knows. */
export const schemas = {
  package: "olm.package",
  channel: "olm.channel",
  bundle: "olm.bundle",
  deprecations: "olm.deprecations",
} as const;

export interface Icon {
  /** In base64. */
  readonly base64data: string;
  readonly mediatype: string;
}

export interface PackageBlob {
  readonly name: string;
  readonly defaultChannel: string;
  readonly icon?: Icon;
  readonly description?: string;
  readonly properties: readonly Property[];
}

export interface ChannelBlob {
  readonly name: string;
  readonly package: string;
  readonly entries: readonly ChannelEntry[];
  readonly properties: readonly Property[];
}

export interface BundleBlob {
  readonly name: string;
  readonly package: string;
  readonly image: string;
  /** All but the large ones. */
  readonly properties: readonly Property[];
  /** The properties with the content of the ClusterServiceVersion, which are read only when they are needed. */
  readonly readLarge: () => readonly Property[];
  /** Whether a large property contains objects, so that the bundle needs no image. */
  readonly hasObjects: boolean;
  /** The first property that does not have the form of its type. */
  readonly propertyProblem?: string;
  readonly relatedImages: readonly { readonly name: string; readonly image: string }[];
}

export interface DeprecationsBlob {
  readonly package: string;
  readonly entries: readonly {
    readonly reference: { readonly schema: string; readonly name: string };
    readonly message: string;
  }[];
}

/** Any blob: its schema, its package and its name, and all that it says. */
export interface Meta {
  readonly schema: string;
  readonly package: string;
  readonly name: string;
  readonly value: JsonObject;
}

const text: GoType = { kind: "string", name: "string" };
const bytes: GoType = { kind: "read", problem: base64Problem };
const raw: GoType = { kind: "raw" };

/** The position of the first byte that base64 does not allow. */
function base64Problem(value: Json): string | undefined {
  if (value === null) return undefined;
  if (typeof value !== "string") return `json: cannot unmarshal ${kindOf(value)} into Go value of type []uint8`;
  const data = value.replaceAll(/[\r\n]/g, "");
  const bad = /[^A-Za-z0-9+/=]/.exec(data)?.index;
  if (bad !== undefined) return `illegal base64 data at input byte ${bad}`;
  const isWhole = data.length % 4 === 0 && /^[^=]*={0,2}$/.test(data);
  return isWhole ? undefined : `illegal base64 data at input byte ${Math.max(0, data.length - (data.length % 4))}`;
}

function kindOf(value: Json): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function list(type: GoType): GoType {
  return { kind: "list", of: () => type };
}

/** A struct of a Go package. */
export function struct(name: string, fields: { readonly [json: string]: GoType }): Struct {
  return {
    kind: "struct",
    name,
    fields: Object.entries(fields).map(([json, type]): Field => {
      const go = json.charAt(0).toUpperCase() + json.slice(1);
      return { json, go, type: () => type, optional: true, pointer: false };
    }),
  };
}

const properties = list(struct("property.Property", { type: text, value: raw }));

export const packageType: Struct = struct("declcfg.Package", {
  schema: text,
  name: text,
  defaultChannel: text,
  icon: struct("declcfg.Icon", { base64data: bytes, mediatype: text }),
  description: text,
  properties,
});

export const channelType: Struct = struct("declcfg.Channel", {
  schema: text,
  name: text,
  package: text,
  entries: list(struct("declcfg.ChannelEntry", { name: text, replaces: text, skips: list(text), skipRange: text })),
  properties,
});

export const bundleType: Struct = struct("declcfg.Bundle", {
  schema: text,
  name: text,
  package: text,
  image: text,
  properties,
  relatedImages: list(struct("declcfg.RelatedImage", { name: text, image: text })),
});

export const deprecationsType: Struct = struct("declcfg.Deprecation", {
  schema: text,
  package: text,
  entries: list(
    struct("declcfg.DeprecationEntry", {
      reference: struct("declcfg.PackageScopedReference", { schema: text, name: text }),
      message: text,
    }),
  ),
});

/** The types of the properties that OLM reads. */
export const propertyTypes: { readonly [type: string]: GoType } = {
  "olm.package": struct("property.Package", { packageName: text, version: text, release: text }),
  "olm.package.required": struct("property.PackageRequired", { packageName: text, versionRange: text }),
  "olm.gvk": struct("property.GVK", { group: text, kind: text, version: text }),
  "olm.gvk.required": struct("property.GVKRequired", { group: text, kind: text, version: text }),
  "olm.bundle.object": struct("property.BundleObject", { data: bytes }),
  "olm.csv.metadata": struct("property.CSVMetadata", {
    annotations: { kind: "map", of: () => text },
    description: text,
    displayName: text,
    keywords: list(text),
    labels: { kind: "map", of: () => text },
    maturity: text,
    minKubeVersion: text,
  }),
  "olm.channel": struct("property.Channel", { channelName: text }),
};

const large: ReadonlySet<string> = new Set(["olm.bundle.object", "olm.csv.metadata"]);

/** Whether a property holds content of the ClusterServiceVersion. */
export function isLarge({ type }: Property): boolean {
  return large.has(type);
}
