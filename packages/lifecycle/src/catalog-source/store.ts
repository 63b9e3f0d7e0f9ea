/** The catalogs that the manager has read, by CatalogSource, and how to read them. */
import type { Catalog, CatalogContent } from "@capstan/bundle";

/** Where the content of a catalog comes from. */
export type CatalogOrigin =
  | { readonly type: "address"; readonly address: string }
  | { readonly type: "image"; readonly image: string; readonly secrets: readonly string[]; readonly namespace: string }
  | { readonly type: "config-map"; readonly data: { readonly [key: string]: string } };

/** A catalog as it was read, with what identifies its content, such as the digest of its image. */
export interface ReadCatalog {
  readonly catalog: Catalog;
  readonly digest?: string;
  /** The blobs of the catalog, which are served over HTTP. */
  readonly content?: CatalogContent;
}

/** Reads catalogs. The known content may be returned again when it has not changed. */
export type ReadOrigin = (origin: CatalogOrigin, known: ReadCatalog | undefined) => Promise<ReadCatalog>;

/** What is known of one catalog. The old content stays when a new reading fails. */
export interface CatalogState {
  readonly state: "READY" | "CONNECTING" | "TRANSIENT_FAILURE";
  /** The origin as a text: another one must be read again. */
  readonly origin: string;
  readonly content?: ReadCatalog;
  readonly error?: string;
  readonly readAt: number;
}

/** The catalogs in memory. */
export interface CatalogStore {
  readonly read: ReadOrigin;
  readonly get: (key: string) => CatalogState | undefined;
  readonly set: (key: string, state: CatalogState) => void;
  readonly forget: (key: string) => void;
}

/** An empty store. */
export function createCatalogStore(read: ReadOrigin): CatalogStore {
  const states = new Map<string, CatalogState>();
  return {
    read,
    get: (key) => states.get(key),
    set: (key, state) => void states.set(key, state),
    forget: (key) => void states.delete(key),
  };
}

/** The key of a CatalogSource. */
export function catalogKey({
  namespace,
  name,
}: {
  readonly namespace?: string | undefined;
  readonly name: string;
}): string {
  return `${namespace ?? ""}/${name}`;
}
