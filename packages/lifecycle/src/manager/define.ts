/** Defines a controller of the manager: it reconciles on every change, reads any of the manager's kinds, and owns nothing. */
import type { Kind, StoredObject } from "@capstan/model";
import { anyChange, controller } from "@capstan/runtime";
import type { Controller, ReconcileResult, WatchDeclaration } from "@capstan/runtime";
import { readKinds } from "./kinds.ts";
import type { Sync } from "./reader.ts";

/** A controller by its kind and its function. */
export interface SyncDefinition<T extends StoredObject> {
  readonly name: string;
  readonly kind: Kind<T>;
  readonly watches?: readonly WatchDeclaration[];
  readonly sync: (sync: Sync<T>) => Promise<ReconcileResult>;
}

/** The controller of the runtime. */
export function defineSync<T extends StoredObject>({ name, kind, watches = [], sync }: SyncDefinition<T>): Controller {
  const options = {
    name,
    reads: readKinds,
    watches,
    predicate: anyChange,
    prune: false,
    reconcileDeleting: true,
    reporter: "operator-lifecycle-manager",
    concurrency: 4,
    timeout: "5m",
  } as const;
  // Every kind that a reconcile reads is in `readKinds`; the compiler cannot know that for a generic kind.
  return controller(kind as Kind, options as never, (context) => sync(context as unknown as Sync<T>));
}
