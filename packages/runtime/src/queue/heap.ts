/** A binary heap in which members know their position, so that one can be moved or removed from the middle. */

/** The fields of a member that the heap uses. */
export interface Placed {
  /** Its position, -1 when it is not in the heap; only the heap writes it. */
  slot: number;
}

/** Reads the smallest member in constant time; every other operation takes logarithmic time. */
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

  /** Removes a member from any position; does nothing if it is not in the heap. */
  remove(member: T): void {
    const slot = member.slot;
    if (slot < 0) return;
    member.slot = -1;
    const last = this.#members.pop();
    if (last === undefined || last === member) return;
    this.#place(last, slot);
    this.update(last);
  }

  /** Restores the order after a change of a member. */
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
