/** The input and the result of a resolution: what one namespace subscribes to, what is installed, and what to install next. */
import type { Catalog, CatalogBundle, Property } from "@capstan/bundle";
import type { ClusterFacts } from "./cluster.ts";

/** The name and namespace of a CatalogSource. */
export interface CatalogReference {
  readonly name: string;
  readonly namespace: string;
}

/** A catalog as it is at the moment of the resolution. A catalog that cannot be read has an error and no content. */
export type CatalogSnapshot = CatalogReference & { readonly priority: number } & (
    | { readonly state: "ready"; readonly catalog: Catalog }
    | { readonly state: "failed"; readonly error: string }
  );

/** A Subscription: its spec, and `status.installedCSV`. */
export interface RequestedSubscription {
  readonly name: string;
  readonly package: string;
  readonly channel?: string;
  readonly startingCSV?: string;
  readonly catalog: CatalogReference;
  readonly installedCSV?: string;
}

/** A ClusterServiceVersion that exists in the namespace; see `toInstalledOperators`. */
export interface InstalledOperator {
  readonly name: string;
  readonly version: string;
  readonly replaces?: string;
  readonly properties: readonly Property[];
}

/** All that the resolution of one namespace depends on. Catalogs of other namespaces than the two do not count. */
export interface ResolutionInput {
  readonly namespace: string;
  readonly globalNamespace: string;
  /** The OperatorGroup excludes the catalogs of the global namespace. */
  readonly excludesGlobalCatalogs?: boolean;
  readonly catalogs: readonly CatalogSnapshot[];
  readonly subscriptions: readonly RequestedSubscription[];
  readonly installed: readonly InstalledOperator[];
  /**
   * With it, bundles that cannot run on the cluster are no candidates, and the messages say why. Without it, the result is
   * that of the Operator Lifecycle Manager, which finds out after the installation.
   */
  readonly cluster?: ClusterFacts;
}

/** A bundle that the resolution selects and that is not installed yet. */
export interface Selection {
  readonly bundle: CatalogBundle;
  readonly channel: string;
  readonly catalog: CatalogReference;
  /** The name of the ClusterServiceVersion that this one replaces. */
  readonly replaces?: string;
  /** The Subscriptions that ask for the bundle. There is none if only a requirement of another bundle asks for it. */
  readonly subscriptions: readonly string[];
  /** What `operatorframework.io/properties` records. */
  readonly properties: readonly Property[];
}

/** One of the requirements that contradict each other. */
export interface Conflict {
  /** In the words of the Operator Lifecycle Manager. */
  readonly message: string;
  /** In plain English. */
  readonly explanation: string;
}

/** What to install; or why that is impossible (`unsatisfiable`) or unknown (`failed`). Solved without selections: nothing to do. */
export type ResolutionResult =
  | { readonly type: "solved"; readonly selections: readonly Selection[] }
  | { readonly type: "unsatisfiable"; readonly message: string; readonly conflicts: readonly Conflict[] }
  | { readonly type: "failed"; readonly message: string };
