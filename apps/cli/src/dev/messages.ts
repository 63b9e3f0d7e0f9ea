/** The messages between the operator's process and `capstan dev`. */
import type { Snapshot } from "@capstan/runtime";

/** The names of a kind. */
export interface KindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/** Identifies a kind, also among kinds of the same name in other groups: `memcacheds.cache.example.com`. */
export function resourceOf({ plural, group }: Pick<KindNames, "plural" | "group">): string {
  return `${plural}.${group}`;
}

/** A controller, and the kind that it reconciles. */
export interface ControllerNames {
  readonly name: string;
  readonly resource: string;
}

/** The program is loaded and waits for its start, or it failed to load or run. */
export type FromChild =
  | {
      readonly type: "loaded";
      /** What the operator has in a pod, and lacks here. */
      readonly notes: readonly string[];
      readonly kinds: readonly KindNames[];
      readonly controllers: readonly ControllerNames[];
    }
  | { readonly type: "failed"; readonly why: string }
  /** It stops, and passes its caches on to its successor. */
  | { readonly type: "stopping"; readonly known: Snapshot };

/** Makes a standby process load the program with these flags. */
export interface Load {
  /** Environment variables of the project, such as settings of the operator; those of the shell win. */
  readonly env: { readonly [name: string]: string };
  readonly flags: readonly string[];
}

/** Makes the operator start with the caches of its predecessor. */
export interface Go {
  /** The port for a debugger; undefined: none. */
  readonly inspect: number | undefined;
  /** Whether the API server surely reaches the operator, so that webhooks can be enforced. */
  readonly isReachable: boolean;
  readonly seed: Snapshot;
}

/** Makes the operator reconcile an object again. */
export interface Again {
  readonly controllers: readonly string[];
  /** `namespace/name`, or the name of a cluster-scoped object. */
  readonly key: string;
}
