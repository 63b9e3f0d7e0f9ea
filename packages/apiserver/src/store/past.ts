/** The store at a past revision, for stale reads. */
import type { ResourceName } from "../builtin/context.ts";
import type { Clock } from "../clock.ts";
import type { Change } from "./collection.ts";
import { Store, type Listener } from "./store.ts";

/** A store with the state of another one at a revision. */
class StandingStore extends Store {
  protected readonly present: Store;

  constructor(present: Store, options: { readonly clock: Clock; readonly revision: number }) {
    super({ clock: options.clock });
    this.present = present;
    this.load(present.snapshot(options.revision));
  }

  override onRestore(callback: () => void): () => void {
    return this.present.onRestore(callback);
  }
}

/** A fixed state without later changes: it has the history up to its revision only. */
export class StoppedStore extends StandingStore {
  override changesAfter(resource: ResourceName, revision: number): readonly Change[] | undefined {
    return this.present.changesAfter(resource, revision)?.filter((change) => change.revision <= this.revision);
  }
}

/** A fixed state that sends all later changes to its watchers. */
export class PastStore extends StandingStore {
  override listen(resource: ResourceName, listener: Listener): () => void {
    return this.present.listen(resource, listener);
  }

  override changesAfter(resource: ResourceName, revision: number): readonly Change[] | undefined {
    return this.present.changesAfter(resource, revision);
  }
}
