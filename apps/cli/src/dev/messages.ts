/** What the process of the operator and `capstan dev` tell each other. */
import type { Snapshot } from "@capstan/runtime";

/** The names of a kind. */
export interface KindNames {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly scope: "Namespaced" | "Cluster";
}

/** What tells a kind from others, also from those that have its name in another group: `memcacheds.cache.example.com`. */
export function resourceOf({ plural, group }: Pick<KindNames, "plural" | "group">): string {
  return `${plural}.${group}`;
}

/** A controller, and whose objects it looks at. */
export interface ControllerNames {
  readonly name: string;
  readonly resource: string;
}

/** The program was loaded and waits for its start, or it could not be loaded or run. */
export type FromChild =
  | {
      readonly type: "loaded";
      readonly kinds: readonly KindNames[];
      readonly controllers: readonly ControllerNames[];
    }
  | { readonly type: "failed"; readonly why: string }
  /** It stops, and tells what its successor need not ask again. */
  | { readonly type: "stopping"; readonly known: Snapshot };

/** Tells a process that stands by to load the program, which reads these flags. */
export interface Load {
  readonly flags: readonly string[];
}

/** Tells the operator to start, with what its predecessor knew. */
export interface Go {
  readonly seed: Snapshot;
}

/** Tells the operator to look at an object again. */
export interface Again {
  readonly controllers: readonly string[];
  /** `namespace/name`, or the name of an object of the whole cluster. */
  readonly key: string;
}
