/**
 * Detects hot loops: when a child is written again and again, the breaker names the fields and the other manager and slows the loop down.
 */
import type { AnyKind, Api } from "../api.ts";
import { ownsField } from "../cache/managed-fields.ts";
import type { Clock } from "../clock.ts";
import { sha256 } from "./digest.ts";
import { RuntimeError } from "../errors.ts";
import { parseKey } from "@capstan/model";
import { childId } from "./writer.ts";

/** The number of writes to one child within an interval that counts as a hot loop. */
export interface HotLoopLimit<D = number> {
  readonly writes: number;
  /** In milliseconds, or a `Duration` where users write it. */
  readonly within: D;
}

/** More than a rollout needs, fewer than a hot loop makes. */
export const usualBudget: HotLoopLimit = { writes: 20, within: 60_000 };

/** A write that may be a repair. */
export interface Repair {
  readonly kind: AnyKind;
  readonly key: string;
  /** The desired value as text. A value that was not the last one sent is a change, not a repair. */
  readonly desired: string;
  /** Whether nothing but earlier writes of this operator led to the write: then a new value is a loop, too. */
  readonly isSelfInflicted: boolean;
  /** The first field that differs from the desired object; empty when the child did not exist. */
  readonly field: string;
}

/** The number of remembered children above which idle ones are looked for and dropped. */
const REMEMBERED = 10_000;

export interface BreakerOptions {
  readonly clock: Clock;
  readonly api: Api;
  /** Our field manager, which is never reported as the other writer. */
  readonly manager: string;
  readonly budget?: HotLoopLimit | undefined;
}

/** The writes of one object. */
interface Record {
  /** The times of repairs within the interval. */
  times: number[];
  readonly fields: Set<string>;
  /** The hash of the value that was sent last. */
  sent: string;
  /** Whether this operator has deleted the child since then: to apply it again is no repair. */
  isRemoved: boolean;
  /** The time of the last write. */
  last: number;
}

/** Counts repairs of each child: writes of a value that was sent before and did not stay. A new desired value is not a repair. */
export class Breaker {
  readonly #clock: Clock;
  readonly #api: Api;
  readonly #budget: HotLoopLimit;
  readonly #manager: string;
  readonly #repairs = new Map<string, Record>();
  #sweepAt = REMEMBERED;

  constructor(options: BreakerOptions) {
    this.#manager = options.manager;
    this.#clock = options.clock;
    this.#api = options.api;
    this.#budget = options.budget ?? usualBudget;
  }

  /** Counts a repair; throws when there were too many within the interval. */
  async check({ kind, key, field, desired, isSelfInflicted }: Repair): Promise<void> {
    const id = childId(kind, key);
    const now = this.#clock.now();
    const record = this.#repairs.get(id) ?? newRecord(now);
    record.times = record.times.filter((time) => now - time < this.#budget.within);
    if (record.times.length === 0) record.fields.clear();
    this.#repairs.set(id, record);
    record.last = now;
    const value = sha256(desired, "base64url");
    const isSame = record.sent === value && !record.isRemoved;
    const isRepair = isSame || (record.sent !== "" && isSelfInflicted);
    record.sent = value;
    record.isRemoved = false;
    if (isRepair) {
      if (field !== "") record.fields.add(field);
      if (record.times.length >= this.#budget.writes) throw await this.#describe(kind, key, [...record.fields]);
      record.times.push(now);
    }
    this.#sweep(now);
  }

  /** Notes that this operator deletes a child, because it is no longer desired. */
  removed(kind: AnyKind, key: string): void {
    const record = this.#repairs.get(childId(kind, key));
    if (record !== undefined) record.isRemoved = true;
  }

  /** Scans all entries only when their number has doubled: a scan at each write would cost quadratic time in a burst of many children. */
  #sweep(now: number): void {
    if (this.#repairs.size < this.#sweepAt) return;
    for (const [id, { last }] of this.#repairs) {
      if (now - last > this.#budget.within) this.#repairs.delete(id);
    }
    this.#sweepAt = Math.max(REMEMBERED, 2 * this.#repairs.size);
  }

  async #describe(kind: AnyKind, key: string, fields: readonly string[]): Promise<RuntimeError> {
    const { writes, within } = this.#budget;
    const head = `Stopped writing ${kind.kind} ${key}: it was repaired ${writes} times in ${Math.round(within / 1000)} s because`;
    const object = `${kind.kind} ${key}`;
    if (fields.length === 0) {
      return new RuntimeError("HotLoop", `${head} it is deleted each time. Find out who deletes it.`, { object });
    }
    const rivals = await this.#rivals(kind, key, fields);
    if (rivals?.length === 0) {
      const found = `${fields.join(", ")} is not what was sent, and no other manager owns it`;
      const isStatus = fields.every((field) => /^status(?![^.[])/u.test(field));
      const cure = isStatus
        ? "Servers accept a status only from the controller of the object: leave it out."
        : "See whether a reconcile applies it twice; if not, what the server, or a webhook of it, makes of the value, and send that.";
      return new RuntimeError("HotLoop", `${head} ${found}. ${cure}`, { object });
    }
    const who = rivals?.map((name) => `"${name}"`).join(" and ") ?? "another manager";
    const advice = "Let only one of them set these fields.";
    return new RuntimeError("HotLoop", `${head} ${who} changes ${fields.join(", ")}. ${advice}`, { object });
  }

  /** The other managers of the fields; undefined if the server does not report managed fields. */
  async #rivals(kind: AnyKind, key: string, fields: readonly string[]): Promise<readonly string[] | undefined> {
    try {
      const live = await this.#api.get(kind, parseKey(key));
      const entries = live.metadata.managedFields ?? [];
      const others = entries.filter(({ manager }) => manager !== this.#manager);
      const rivals = others.filter((entry) => fields.some((field) => ownsField(entry, field)));
      return [...new Set(rivals.map((entry) => entry.manager ?? "unknown"))];
    } catch {
      return undefined;
    }
  }
}

function newRecord(now: number): Record {
  return { times: [], fields: new Set<string>(), sent: "", isRemoved: false, last: now };
}
