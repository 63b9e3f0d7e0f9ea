/** The store as it was at a revision, for readers that are to see old news. */
import type { ResourceName } from "../builtin/context.ts";
import type { Clock } from "../clock.ts";
import { Store, type Listener } from "./store.ts";

/** A store that stands still; whoever listens to it is told at once what happened since, and then what happens. */
export class PastStore extends Store {
  readonly #present: Store;

  constructor(present: Store, options: { readonly clock: Clock; readonly revision: number }) {
    super({ clock: options.clock });
    this.#present = present;
    this.restore(present.snapshot(options.revision));
  }

  override listen(resource: ResourceName, listener: Listener): () => void {
    for (const change of this.#present.collection(resource).changesAfter(this.revision)) listener(change);
    return this.#present.listen(resource, listener);
  }

  override onRestore(callback: () => void): () => void {
    return this.#present.onRestore(callback);
  }
}
