/** The model of a catalog: packages, their channels with the upgrade edges, and their bundles. */

/** A typed fact about a bundle, a channel or a package, such as `olm.package` or `olm.gvk.required`. */
export interface Property {
  readonly type: string;
  readonly value: unknown;
}

/** An entry of a channel. Its edges name the entries that it replaces. */
export interface ChannelEntry {
  readonly name: string;
  readonly replaces?: string;
  readonly skips: readonly string[];
  readonly skipRange?: string;
}

export interface Channel {
  readonly name: string;
  readonly package: string;
  /** The entries by name, in the order of the catalog. */
  readonly entries: ReadonlyMap<string, ChannelEntry>;
  readonly properties: readonly Property[];
  readonly deprecation?: string;
}

export interface CatalogBundle {
  readonly name: string;
  readonly package: string;
  readonly image: string;
  readonly version: string;
  readonly release?: string;
  /** All but the large ones: `olm.csv.metadata` and `olm.bundle.object`. */
  readonly properties: readonly Property[];
  /** Whether a large property contains the objects, so that the bundle needs no image. */
  readonly hasObjects?: boolean;
  /** Reads the large properties from where the catalog keeps them. */
  readonly readLarge?: () => readonly Property[];
  readonly relatedImages: readonly { readonly name: string; readonly image: string }[];
  readonly deprecation?: string;
}

export interface CatalogPackage {
  readonly name: string;
  readonly defaultChannel: string;
  readonly description?: string;
  readonly icon?: { readonly data: string; readonly mediaType: string };
  readonly channels: ReadonlyMap<string, Channel>;
  readonly bundles: ReadonlyMap<string, CatalogBundle>;
  readonly properties: readonly Property[];
  readonly deprecation?: string;
}

export interface Catalog {
  readonly packages: ReadonlyMap<string, CatalogPackage>;
}
