/**
 * A queue of groups of groups that serves the group that has used least for its weight: 200 groups that wait with an expensive request each
 * do not delay a cheap request by a round of all of them. It is start-time fair queueing, as in kube-apiserver, with measured costs
 * instead of estimates.
 */

/** A group at one depth of the tree, with its share compared with its neighbours. */
export interface Step {
  readonly name: string;
  readonly weight: number;
}

/** Idle groups are forgotten when there are this many more than twice the waiting ones. */
const mostIdle = 1_000;

class Group<Item> {
  /** What it has used, in milliseconds divided by its weight. */
  used = 0;
  size = 0;
  readonly items: Item[] = [];
  readonly #groups = new Map<string, Group<Item>>();
  /** The groups with items, the one that was served last at the end. */
  readonly #waiting = new Map<string, Group<Item>>();
  /** What the group that was served last had used, which is the least: a group that was idle begins there, so it saves up nothing. */
  #now = 0;

  /** The group of a name, with what it has used since it was about even with the others. */
  at(name: string): Group<Item> {
    const known = this.#groups.get(name);
    if (known !== undefined && known.size > 0) return known;
    const group = known ?? new Group<Item>();
    group.used = Math.max(group.used, this.#now);
    if (known === undefined) this.#forgetIdle();
    this.#groups.set(name, group);
    return group;
  }

  wait(name: string, group: Group<Item>): void {
    if (group.size++ === 0) this.#waiting.set(name, group);
  }

  /** A group is served that did not wait. */
  serve(group: Group<Item>): void {
    this.#now = Math.max(this.#now, group.used);
  }

  leave(name: string, group: Group<Item>): void {
    if (--group.size === 0) this.#waiting.delete(name);
  }

  /** The group to serve next: of several that have used the same, the one that waits longest. */
  next(): Group<Item> | undefined {
    let found: readonly [name: string, group: Group<Item>] | undefined;
    for (const one of this.#waiting) if (found === undefined || one[1].used < found[1].used) found = one;
    if (found === undefined) return undefined;
    const [name, group] = found;
    this.serve(group);
    this.#waiting.delete(name);
    if (--group.size > 0) this.#waiting.set(name, group);
    return group;
  }

  /** Those that owe nothing go first. If each of very many has asked once, all owe something, and the oldest go. */
  #forgetIdle(): void {
    const most = 2 * this.#waiting.size + mostIdle;
    if (this.#groups.size <= most) return;
    for (const [name, { size, used }] of this.#groups) {
      if (size === 0 && used <= this.#now) this.#groups.delete(name);
    }
    // So many that the next ones need not look again.
    for (const [name, { size }] of this.#groups) {
      if (this.#groups.size <= most - mostIdle / 2) return;
      if (size === 0) this.#groups.delete(name);
    }
  }
}

/** First in, first out within a path; between groups, the one that has used least first. All paths have the same length. */
export class FairTree<Item> {
  readonly #root = new Group<Item>();

  get size(): number {
    return this.#root.size;
  }

  push(path: readonly Step[], item: Item): void {
    this.#root.size++;
    let group = this.#root;
    for (const { name } of path) {
      const below = group.at(name);
      group.wait(name, below);
      group = below;
    }
    group.items.push(item);
  }

  shift(): Item | undefined {
    if (this.#root.size === 0) return undefined;
    this.#root.size--;
    let group = this.#root;
    for (let below = group.next(); below !== undefined; below = group.next()) group = below;
    return group.items.shift();
  }

  /** Removes an item that no longer waits, if it is there. */
  remove(path: readonly Step[], item: Item): void {
    const groups = [this.#root];
    for (const { name } of path) groups.push((groups.at(-1) ?? this.#root).at(name));
    const items = groups.at(-1)?.items ?? [];
    const at = items.indexOf(item);
    if (at < 0) return;
    items.splice(at, 1);
    this.#root.size--;
    for (const [depth, { name }] of path.entries()) {
      const below = groups[depth + 1];
      if (below !== undefined) groups[depth]?.leave(name, below);
    }
  }

  /** An item of a path is served at once: what its groups have used meanwhile does not count against them later. */
  pass(path: readonly Step[]): void {
    let group = this.#root;
    for (const { name } of path) {
      const below = group.at(name);
      group.serve(below);
      group = below;
    }
  }

  /** Notes what the groups of a path have used, in milliseconds. */
  charge(path: readonly Step[], cost: number): void {
    let group = this.#root;
    for (const { name, weight } of path) {
      group = group.at(name);
      group.used += cost / weight;
    }
  }
}
