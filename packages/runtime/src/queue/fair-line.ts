/**
 * Orders ready keys: fair between tenants, higher priority first, without starvation.
 *
 * Keys of one tenant and one priority form a FIFO flow. Each key gets a start tag when it joins: the virtual time of the line, or one
 * step after its predecessor in the flow, whichever is later (start-time fair queueing). A tenant with a thousand keys therefore spreads
 * over a thousand steps of virtual time, and another tenant's single key goes in near the front. Priority shifts the tag, it never
 * overrules it: virtual time moves with every key taken, so every tag comes up. This ageing counts keys, not seconds, so neither a
 * jumping clock nor a slow machine can starve a key.
 */
import { Heap } from "./heap.ts";
import type { Placed } from "./heap.ts";

/** A member of the line: a node in its flow's list. */
export interface Queued {
  /** The start tag; only the line writes it. */
  tag: number;
  flow: Flow | undefined;
  before: Queued | undefined;
  after: Queued | undefined;
}

interface Flow extends Placed {
  readonly tenant: string;
  readonly priority: number;
  rank: number;
  finish: number;
  head: Queued | undefined;
  tail: Queued | undefined;
}

/**
 * The step of virtual time per key. It bounds how long a low priority can be overtaken. Tags are integers, because a fraction would be
 * boxed as a heap object per member.
 */
const tagStep = 64;

/** Idle flows are dropped when there are this many more than busy ones. */
const IDLE_FLOWS_KEPT = 64;

/** The ready keys, in their order. */
export class Line {
  readonly #flows = new Map<number, Map<string, Flow>>();
  readonly #busy = new Heap<Flow>((a, b) => a.rank < b.rank);
  #virtual = 0;
  #flowCount = 0;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Appends a member to its flow. */
  join(member: Queued, tenant: string, priority: number): void {
    const flow = this.#flowOf(tenant, priority);
    member.tag = Math.max(this.#virtual, flow.finish);
    member.flow = flow;
    member.before = flow.tail;
    member.after = undefined;
    flow.finish = member.tag + tagStep;
    if (flow.tail === undefined) flow.head = member;
    else flow.tail.after = member;
    flow.tail = member;
    this.#size++;
    if (flow.head === member) this.#expose(flow, member);
  }

  /** Takes the next member. */
  take(): Queued | undefined {
    const head = this.#busy.peek()?.head;
    if (head === undefined) return undefined;
    this.#virtual = Math.max(this.#virtual + 1, head.tag);
    this.leave(head);
    return head;
  }

  /** Removes a member from any position. */
  leave(member: Queued): void {
    const { flow, before, after } = member;
    if (flow === undefined) return;
    if (before === undefined) flow.head = after;
    else before.after = after;
    if (after === undefined) flow.tail = before;
    else after.before = before;
    member.flow = member.before = member.after = undefined;
    this.#size--;
    if (before !== undefined) return;
    if (after === undefined) this.#retire(flow);
    else this.#expose(flow, after);
  }

  #expose(flow: Flow, head: Queued): void {
    flow.rank = head.tag - flow.priority * tagStep;
    if (flow.slot < 0) this.#busy.push(flow);
    else this.#busy.update(flow);
  }

  #retire(flow: Flow): void {
    this.#busy.remove(flow);
    if (this.#flowCount > 2 * this.#busy.size + IDLE_FLOWS_KEPT) this.#sweep();
  }

  #flowOf(tenant: string, priority: number): Flow {
    let flows = this.#flows.get(priority);
    if (flows === undefined) this.#flows.set(priority, (flows = new Map<string, Flow>()));
    let flow = flows.get(tenant);
    if (flow === undefined) {
      flow = { tenant, priority, rank: 0, finish: 0, slot: -1, head: undefined, tail: undefined };
      flows.set(tenant, flow);
      this.#flowCount++;
    }
    return flow;
  }

  /** Drops empty flows after their last tag has passed. */
  #sweep(): void {
    for (const [priority, flows] of this.#flows) {
      for (const flow of flows.values()) {
        if (flow.head !== undefined || flow.finish > this.#virtual + tagStep) continue;
        flows.delete(flow.tenant);
        this.#flowCount--;
      }
      if (flows.size === 0) this.#flows.delete(priority);
    }
  }
}
