/**
 * Detects controllers that trigger each other through statuses with a new value each time.
 *
 * An echo is a write to which nothing but changes of statuses led. Progress looks the same: a rollout that is followed, a status that sums
 * up busy objects. So very many echoes are only a suspicion, and the next one waits. If statuses keep changing while nothing is written,
 * they do not follow from the writes, and all further echoes are allowed for a while; if they stop changing, the writes caused them, and
 * the rest waits until the interval is over. A change of a spec, a schedule, or any other cause ends the suspicion.
 */
import type { AnyKind } from "../api.ts";
import type { Clock } from "../clock.ts";
import { RuntimeError } from "../errors.ts";
import type { ReconcileTrigger } from "../trigger/reconcile-trigger.ts";
import { usualBudget, type HotLoopLimit } from "./breaker.ts";
import { childId } from "./writer.ts";

/** What led to a reconcile. `retry`: nothing new, the reconcile repeats an earlier one. */
export type EchoCause = "status" | "retry" | "other";

/** So many times the limit of repairs is a suspicion: echoes are the normal work of many operators. */
const patience = 10;
/** Statuses must change so often, with at least this many milliseconds between two changes, to be independent of the writes. */
const [enoughChanges, settling] = [3, 1_000];
/** Echoes that are known to be independent are not suspected for so many intervals. */
const trustedIntervals = 10;
/** The number of remembered objects above which idle ones are looked for and dropped. */
const remembered = 10_000;

interface Suspect {
  /** The times of the echoes within the interval. */
  times: number[];
  /** The number of echoes within an interval from which they wait. */
  limit: number;
  held: { readonly since: number; changes: number; last: number } | undefined;
  trustedUntil: number;
  last: number;
}

export interface EchoesOptions {
  readonly clock: Clock;
  readonly budget?: HotLoopLimit | undefined;
}

/** Counts the echoes of each written object. */
export class Echoes {
  readonly #clock: Clock;
  readonly #budget: HotLoopLimit;
  readonly #suspects = new Map<string, Suspect>();
  #sweepAt = remembered;

  constructor({ clock, budget = usualBudget }: EchoesOptions) {
    this.#clock = clock;
    this.#budget = budget;
  }

  /** Counts a write; throws if it has to wait. */
  check(kind: AnyKind, key: string, cause: EchoCause): void {
    const id = childId(kind, key);
    const known = this.#suspects.get(id);
    if (cause === "other") this.#suspects.delete(id);
    if (cause === "other" || (cause === "retry" && known?.held === undefined)) return;
    const now = this.#clock.now();
    const suspect = known ?? { times: [], limit: this.#limit, held: undefined, trustedUntil: -Infinity, last: now };
    suspect.last = now;
    this.#suspects.set(id, suspect);
    if (now < suspect.trustedUntil) return;
    if (suspect.held !== undefined && !this.#isFree(suspect, suspect.held, cause, now)) throw this.#loop(kind, key);
    if (now < suspect.trustedUntil) return;
    suspect.times = suspect.times.filter((time) => now - time < this.#budget.within);
    if (suspect.times.length >= suspect.limit) {
      suspect.held = { since: now, changes: 0, last: now };
      throw this.#loop(kind, key);
    }
    suspect.times.push(now);
    this.#sweep(now);
  }

  get #limit(): number {
    return this.#budget.writes * patience;
  }

  /** Whether writes go on: the statuses have proved to be independent, or the interval is over. */
  #isFree(suspect: Suspect, held: NonNullable<Suspect["held"]>, cause: EchoCause, now: number): boolean {
    if (cause === "status" && now - held.last >= settling) {
      held.changes++;
      held.last = now;
    }
    const isIndependent = held.changes >= enoughChanges;
    if (!isIndependent && now - held.since < this.#budget.within) return false;
    suspect.held = undefined;
    suspect.times = [];
    // After an interval without independent changes, a few more echoes suffice for the suspicion.
    suspect.limit = isIndependent ? this.#limit : this.#budget.writes;
    if (isIndependent) suspect.trustedUntil = now + trustedIntervals * this.#budget.within;
    return true;
  }

  #sweep(now: number): void {
    if (this.#suspects.size < this.#sweepAt) return;
    for (const [id, { last, trustedUntil }] of this.#suspects) {
      if (now - last > this.#budget.within && now > trustedUntil) this.#suspects.delete(id);
    }
    this.#sweepAt = Math.max(remembered, 2 * this.#suspects.size);
  }

  #loop(kind: AnyKind, key: string): RuntimeError {
    const object = `${kind.kind} ${key}`;
    const often = `${this.#limit} times in ${Math.round(this.#budget.within / 1000)} s`;
    return new RuntimeError(
      "HotLoop",
      `Stopped writing ${object}: it was written ${often}, with a new value each time, and only because statuses changed. ` +
        "Another controller changes a status whenever this one writes: let one of them not depend on the other's last value.",
      { object },
    );
  }
}

/** The cause of a reconcile: changes of statuses alone, nothing new, or anything else. */
export function echoCauseOf(triggers: readonly ReconcileTrigger[]): EchoCause {
  if (triggers.length > 0 && triggers.every(({ relation }) => relation === "requeue")) return "retry";
  const others = triggers.filter(({ relation }) => relation !== "requeue");
  return others.length > 0 && others.every(isOfStatus) ? "status" : "other";
}

function isOfStatus({ relation, change, fields }: ReconcileTrigger): boolean {
  switch (relation) {
    case "status":
      return true;
    case "owned":
    case "mapped":
    case "read":
      return change === "updated" && fields.length > 0 && fields.every((field) => /^status(?![^.[])/u.test(field));
    default:
      return false;
  }
}
