/** A queue that serves its flows in turn: a flow with many items does not delay the items of others. */

/** First in, first out within a flow; round robin between flows. */
export class FairQueue<Item> {
  /** In the order of service. A flow without items has no entry. */
  readonly #flows = new Map<string, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of items of a flow. */
  sizeOf(flow: string): number {
    return this.#flows.get(flow)?.length ?? 0;
  }

  push(flow: string, item: Item): void {
    const items = this.#flows.get(flow);
    if (items === undefined) this.#flows.set(flow, [item]);
    else items.push(item);
    this.#size++;
  }

  /** Removes an item that no longer waits. */
  remove(flow: string, item: Item): void {
    const items = this.#flows.get(flow) ?? [];
    const at = items.indexOf(item);
    if (at < 0) return;
    items.splice(at, 1);
    this.#size--;
    if (items.length === 0) this.#flows.delete(flow);
  }

  /** The next item of the first flow that may be served; its flow then waits until the others were served. */
  shift(mayServe: (flow: string) => boolean = () => true): Item | undefined {
    for (const [flow, items] of this.#flows) {
      if (!mayServe(flow)) continue;
      this.#flows.delete(flow);
      const item = items.shift();
      if (items.length > 0) this.#flows.set(flow, items);
      this.#size--;
      return item;
    }
    return undefined;
  }
}
