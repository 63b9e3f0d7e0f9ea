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

/** The program was loaded and waits for its start, or it could not be loaded or run. */
export type FromChild =
  | {
      readonly type: "loaded";
      readonly kinds: readonly KindNames[];
      readonly controllers: readonly { readonly name: string; readonly kind: string }[];
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
