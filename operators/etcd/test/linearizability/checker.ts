/**
 * Is there an order of the operations that one single register could have gone through, in which each operation takes effect between its
 * call and its response? The algorithm is Wing and Gong's search with Lowe's cache of configurations (as in "Testing for
 * linearizability", 2017), one key at a time: operations are tried in the order of their calls, undone when a response would come too
 * early, and a configuration (which operations took place, and the value then) is never tried twice.
 */
import { byKey } from "./history.ts";
import type { Event, Operation, Value } from "./history.ts";

/** What the checker found. */
export type Verdict =
  | { readonly ok: true; readonly operations: number; readonly keys: number }
  | { readonly ok: false; readonly key: string; readonly why: string };

/** Checks a whole history: every key by itself, and the revisions of all writes together. */
export function checkHistory(history: readonly Event[]): Verdict {
  const keys = byKey(history);
  for (const [key, events] of keys) {
    const why = checkRegister(events);
    if (why !== undefined) return { ok: false, key, why };
  }
  return checkRevisions(history) ?? { ok: true, operations: history.length, keys: keys.size };
}

/** Checks the operations on one register; undefined when there is an order, else where the best attempt ended. */
export function checkRegister(events: readonly Event[]): string | undefined {
  const relevant = withoutUnseen(events);
  const search = new Search(relevant);
  return search.run() ? undefined : search.explain();
}

/**
 * A write without a response whose value no operation ever saw is the same as a write that never happened: the search succeeds with it
 * only if it succeeds without it. A read without a response carries no information. Open operations make the search slow, so both are
 * left out.
 */
function withoutUnseen(events: readonly Event[]): Event[] {
  const seen = new Set<Value>(events.flatMap(({ operation }) => valuesSeen(operation)));
  return events.filter(({ operation, ended }) => {
    if (Number.isFinite(ended)) return true;
    if (operation.do === "write") return seen.has(operation.value);
    if (operation.do === "swap") return seen.has(operation.to);
    return operation.do === "delete";
  });
}

function valuesSeen(operation: Operation): Value[] {
  if (operation.do === "read") return [operation.saw];
  if (operation.do !== "swap") return [];
  return operation.outcome.is === "refused" ? [operation.outcome.saw, operation.from] : [operation.from];
}

/** The value of the register after an operation, or undefined when the operation could not have had this response. */
function step(value: Value, operation: Operation): { readonly value: Value } | undefined {
  switch (operation.do) {
    case "read":
      return operation.saw === value ? { value } : undefined;
    case "write":
      return { value: operation.value };
    case "delete":
      return { value: undefined };
    case "swap":
      return stepSwap(value, operation);
  }
}

function stepSwap(
  value: Value,
  { from, to, outcome }: Operation & { do: "swap" },
): { readonly value: Value } | undefined {
  const isDone = value === from;
  if (outcome.is === "unknown") return { value: isDone ? to : value };
  if (outcome.is === "done") return isDone ? { value: to } : undefined;
  return !isDone && outcome.saw === value ? { value } : undefined;
}

/** A call or a response, in a list from which entries can be removed and put back. */
interface Moment {
  readonly index: number;
  readonly event: Event;
  readonly answer: Moment | undefined;
  before: Moment | undefined;
  after: Moment | undefined;
}

/** The search over one register. */
class Search {
  readonly #head: Moment;
  readonly #done: Bits;
  readonly #tried = new Set<string>();
  readonly #path: { readonly moment: Moment; readonly value: Value }[] = [];
  #value: Value = undefined;
  #best = 0;
  #stuck: { readonly value: Value; readonly event: Event } | undefined;

  constructor(events: readonly Event[]) {
    this.#head = toMoments(events);
    this.#done = new Bits(events.length);
  }

  run(): boolean {
    let moment = this.#head.after;
    while (moment !== undefined) {
      if (moment.answer === undefined) {
        const last = this.#undo(moment);
        if (last === undefined) return false;
        moment = last.after;
      } else if (this.#take(moment)) {
        moment = this.#head.after;
      } else {
        moment = moment.after;
      }
    }
    return true;
  }

  explain(): string {
    const { value, event } = this.#stuck ?? {};
    const at =
      event === undefined ? "" : `: ${describe(event)} cannot be explained while the value is ${String(value)}`;
    return `no order exists; the longest that was found has ${this.#best} operations${at}`;
  }

  /** Lets an operation take place now, if its response allows that and the configuration was not tried before. */
  #take(moment: Moment): boolean {
    const next = step(this.#value, moment.event.operation);
    if (next === undefined) return false;
    this.#done.set(moment.index);
    const configuration = `${next.value === undefined ? "-" : `=${next.value}`} ${this.#done.format()}`;
    if (this.#tried.has(configuration)) {
      this.#done.clear(moment.index);
      return false;
    }
    this.#tried.add(configuration);
    this.#path.push({ moment, value: this.#value });
    this.#value = next.value;
    lift(moment);
    return true;
  }

  /** The search reached a response whose call did not take place: the last choice was wrong. */
  #undo(answer: Moment): Moment | undefined {
    if (this.#path.length >= this.#best) {
      this.#best = this.#path.length;
      this.#stuck = { value: this.#value, event: answer.event };
    }
    const last = this.#path.pop();
    if (last === undefined) return undefined;
    this.#value = last.value;
    this.#done.clear(last.moment.index);
    unlift(last.moment);
    return last.moment;
  }
}

/** A call counts before a response of the same time: operations that touch in a point overlap. */
function toMoments(events: readonly Event[]): Moment {
  const head: Moment = { index: -1, event: NOTHING, answer: undefined, before: undefined, after: undefined };
  const moments = events.flatMap((event, index) => {
    const answer: Moment = { index, event, answer: undefined, before: undefined, after: undefined };
    const question: Moment = { index, event, answer, before: undefined, after: undefined };
    return [
      { time: event.began, rank: 0, moment: question },
      { time: event.ended, rank: 1, moment: answer },
    ];
  });
  moments.sort((a, b) => compareTimes(a.time, b.time) || a.rank - b.rank);
  let last = head;
  for (const { moment } of moments) {
    last.after = moment;
    moment.before = last;
    last = moment;
  }
  return head;
}

const NOTHING: Event = { key: "", client: -1, operation: { do: "delete" }, began: 0, ended: 0 };

/** Infinite times are equal; their difference is not a number. */
function compareTimes(a: number, b: number): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function lift(question: Moment): void {
  for (const moment of [question, question.answer]) {
    if (moment?.before) moment.before.after = moment.after;
    if (moment?.after) moment.after.before = moment.before;
  }
}

/** In reverse order, so that the links of neighbours are restored. */
function unlift(question: Moment): void {
  for (const moment of [question.answer, question]) {
    if (moment?.before) moment.before.after = moment;
    if (moment?.after) moment.after.before = moment;
  }
}

/** The set of operations that took place, encoded compactly: nearly always all up to some index and a few behind it. */
class Bits {
  readonly #bits: Uint8Array;
  #full = 0;
  #end = 0;

  constructor(size: number) {
    this.#bits = new Uint8Array(size);
  }

  set(index: number): void {
    this.#bits[index] = 1;
    this.#end = Math.max(this.#end, index + 1);
    while (this.#bits[this.#full] === 1) this.#full++;
  }

  clear(index: number): void {
    this.#bits[index] = 0;
    this.#full = Math.min(this.#full, index);
    while (this.#end > 0 && this.#bits[this.#end - 1] === 0) this.#end--;
  }

  format(): string {
    let text = `${this.#full}`;
    for (let at = this.#full; at < this.#end; at++) if (this.#bits[at] === 1) text += `,${at}`;
    return text;
  }
}

/** Across all keys: a write with a response before the call of another has the smaller revision, and no two have the same. */
export function checkRevisions(history: readonly Event[]): Verdict | undefined {
  const writes = history.filter((event) => event.revision !== undefined && Number.isFinite(event.ended));
  const byEnd = writes.toSorted((a, b) => a.ended - b.ended);
  const byBegin = writes.toSorted((a, b) => a.began - b.began);
  let highest = -1;
  let at = 0;
  for (const write of byBegin) {
    for (let done = byEnd[at]; done !== undefined && done.ended < write.began; done = byEnd[++at]) {
      highest = Math.max(highest, done.revision ?? 0);
    }
    if ((write.revision ?? 0) <= highest) {
      const why = `${describe(write)} has revision ${write.revision}, but revision ${highest} was known before it was asked`;
      return { ok: false, key: write.key, why };
    }
  }
  return checkUnique(writes);
}

function checkUnique(writes: readonly Event[]): Verdict | undefined {
  const seen = new Map<number, Event>();
  for (const write of writes) {
    const other = seen.get(write.revision ?? 0);
    if (other) return { ok: false, key: write.key, why: `${describe(write)} has the revision of ${describe(other)}` };
    seen.set(write.revision ?? 0, write);
  }
  return undefined;
}

function describe({ client, operation, began, ended }: Event): string {
  const what = JSON.stringify(operation, (_, value: unknown) => (value === undefined ? null : value));
  return `client ${client} ${what} from ${began.toFixed(1)} to ${ended.toFixed(1)}`;
}
