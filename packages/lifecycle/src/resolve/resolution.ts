/** The input and the result of a resolution: what one namespace subscribes to, what is installed, and what to install next. */
import type { Catalog, CatalogBundle, Property } from "@capstan/bundle";

export interface CatalogReference {
  readonly name: string;
  readonly namespace: string;
}

/** A catalog as it is at the moment of the resolution. A catalog that cannot be read has an error and no content. */
export type CatalogSnapshot = CatalogReference & { readonly priority: number } & (
    | { readonly state: "ready"; readonly catalog: Catalog }
    | { readonly state: "failed"; readonly error: string }
  );

export interface RequestedSubscription {
  readonly name: string;
  readonly package: string;
  readonly channel?: string;
  readonly startingCSV?: string;
  readonly catalog: CatalogReference;
  readonly installedCSV?: string;
}

/** A ClusterServiceVersion that exists in the namespace. */
export interface InstalledOperator {
  readonly name: string;
  readonly version: string;
  readonly replaces?: string;
  readonly properties: readonly Property[];
}

export interface ResolutionInput {
  readonly namespace: string;
  readonly globalNamespace: string;
  readonly catalogs: readonly CatalogSnapshot[];
  readonly subscriptions: readonly RequestedSubscription[];
  readonly installed: readonly InstalledOperator[];
}

/** A bundle that the resolution selects and that is not installed yet. */
export interface Selection {
  readonly bundle: CatalogBundle;
  readonly channel: string;
  readonly catalog: CatalogReference;
  readonly replaces?: string;
  /** The Subscription that asks for the package, or none: then a requirement of another bundle asks for it. */
  readonly subscription?: string;
}

export type ResolutionResult =
  | { readonly type: "solved"; readonly selections: readonly Selection[] }
  | { readonly type: "unsatisfiable"; readonly message: string; readonly conflicts: readonly string[] }
  | { readonly type: "failed"; readonly message: string };
