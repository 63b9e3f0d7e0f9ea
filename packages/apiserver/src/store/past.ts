/** The store as it was at a revision, for readers that are to see old news. */
import type { ResourceName } from "../builtin/context.ts";
import type { Clock } from "../clock.ts";
import type { Change } from "./collection.ts";
import { Store, type Listener } from "./store.ts";

/** A store with what another one had at a revision. */
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

/** A store that stands still and follows nothing: what happened up to there is known, what came after it is not. */
export class StoppedStore extends StandingStore {
  override changesAfter(resource: ResourceName, revision: number): readonly Change[] | undefined {
    return this.present.changesAfter(resource, revision)?.filter((change) => change.revision <= this.revision);
  }
}

/** A store that stands still; whoever follows its changes learns what happened since. */
export class PastStore extends StandingStore {
  override listen(resource: ResourceName, listener: Listener): () => void {
    return this.present.listen(resource, listener);
  }

  override changesAfter(resource: ResourceName, revision: number): readonly Change[] | undefined {
    return this.present.changesAfter(resource, revision);
  }
}
