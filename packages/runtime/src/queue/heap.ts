/** A heap whose members know their place, so that one can be moved or taken out of the middle. */

/** What a member lends to its heap. */
export interface Placed {
  /** Where it stands, -1 when it stands nowhere; only the heap writes it. */
  slot: number;
}

/** The smallest member is always at hand; every other operation takes logarithmic time. */
export class Heap<T extends Placed> {
  readonly #members: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#members.length;
  }

  peek(): T | undefined {
    return this.#members[0];
  }

  push(member: T): void {
    this.#members.push(member);
    this.#rise(member, this.#members.length - 1);
  }

  pop(): T | undefined {
    const first = this.#members[0];
    if (first !== undefined) this.remove(first);
    return first;
  }

  /** Takes a member out, wherever it stands; one that stands nowhere is left alone. */
  remove(member: T): void {
    const slot = member.slot;
    if (slot < 0) return;
    member.slot = -1;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    this.#place(last, slot);
    this.update(last);
  }

  /** Finds the right place for a member whose order changed. */
  update(member: T): void {
    this.#rise(member, member.slot);
    this.#sink(member, member.slot);
  }

  #place(member: T, slot: number): void {
    this.#members[slot] = member;
    member.slot = slot;
  }

  #rise(member: T, from: number): void {
    let slot = from;
    while (slot > 0) {
      const parentSlot = (slot - 1) >> 1;
      const parent = this.#members[parentSlot];
      if (parent === undefined || !this.#before(member, parent)) break;
      this.#place(parent, slot);
      slot = parentSlot;
    }
    this.#place(member, slot);
  }

  #sink(member: T, from: number): void {
    let slot = from;
    for (;;) {
      const child = this.#smallerChild(slot);
      if (child === undefined || !this.#before(child, member)) break;
      const childSlot = child.slot;
      this.#place(child, slot);
      slot = childSlot;
    }
    this.#place(member, slot);
  }

  #smallerChild(slot: number): T | undefined {
    const left = this.#members[2 * slot + 1];
    const right = this.#members[2 * slot + 2];
    if (left === undefined || right === undefined) return left;
    return this.#before(right, left) ? right : left;
  }
}
