/** The store as it was at a revision, for readers that are to see old news. */
import type { ResourceName } from "../builtin/context.ts";
import type { Clock } from "../clock.ts";
import type { Change } from "./collection.ts";
import { Store, type Listener } from "./store.ts";

/** A store that stands still; whoever follows its changes learns what happened since. */
export class PastStore extends Store {
  readonly #present: Store;

  constructor(present: Store, options: { readonly clock: Clock; readonly revision: number }) {
    super({ clock: options.clock });
    this.#present = present;
    this.load(present.snapshot(options.revision));
  }

  override listen(resource: ResourceName, listener: Listener): () => void {
    return this.#present.listen(resource, listener);
  }

  override changesAfter(resource: ResourceName, revision: number): readonly Change[] | undefined {
    return this.#present.changesAfter(resource, revision);
  }

  override onRestore(callback: () => void): () => void {
    return this.#present.onRestore(callback);
  }
}
