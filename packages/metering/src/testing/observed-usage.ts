/** Meters a world of virtual time: the rules of the metering service over the changes of its objects. */
import type { Kind } from "@capstan/model";
import { parseBook } from "../book/parse-book.ts";
import { objectPieces } from "../journal/pieces.ts";
import { Replay } from "../journal/replay.ts";
import { parseJournalLine } from "../journal/line.ts";
import { formatPlain, parseAmount } from "../number/decimal.ts";
import { parseInstant } from "../time/instant.ts";
import type { Meter } from "../book/book.ts";
import type { EventMeter, ObjectMeter } from "../declare/meter.ts";
import type { UsageEvent, UsageSink } from "../declare/record.ts";

/** A change of an object. */
export interface SeenChange {
  readonly type: "ADDED" | "MODIFIED" | "DELETED";
  readonly object: object;
}

/**
 * Which usage is asked for.
 *
 * @example
 * const filter: UsageFilter = { namespace: "default", dimensions: { version: "3.6.16" } };
 */
export interface UsageFilter {
  readonly namespace?: string;
  readonly dimensions?: { readonly [name: string]: string };
}

/** The usage of a world since its start. */
export class ObservedUsage {
  readonly #now: () => number;
  readonly #replay = new Replay();
  readonly #kinds = new Set<string>();
  readonly #events = new Map<string, UsageEvent>();
  #n = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#take({ type: "JOURNAL", id: "test", cluster: "" });
  }

  /** Observes a kind from now on; whether that is new. */
  begin({ group, version, kind }: Pick<Kind, "group" | "version" | "kind">): boolean {
    const apiVersion = group === "" ? version : `${group}/${version}`;
    const name = `${apiVersion}/${kind}`;
    if (this.#kinds.has(name)) return false;
    this.#kinds.add(name);
    this.#take({ type: "SYNCED", apiVersion, kind, uids: [] });
    return true;
  }

  /** Takes a change of an object. */
  seen(change: SeenChange): void {
    this.#take({ ...change });
  }

  /** Takes a record. */
  readonly sink: UsageSink = async (event) => {
    const key = `${event.meter} ${event.id}`;
    if (!this.#events.has(key)) this.#events.set(key, event);
  };

  /** The usage so far: level times seconds, or the sum of records; as a report prints it. */
  of(meter: ObjectMeter | EventMeter, { namespace, dimensions = {} }: UsageFilter = {}): string {
    const isAsked = (owner: string, values: (name: string) => string | undefined): boolean =>
      (namespace === undefined || owner === namespace) &&
      Object.entries(dimensions).every(([name, value]) => values(name) === value);
    if (!("kind" in meter)) {
      const own = [...this.#events.values()].filter(
        (event) => event.meter === meter.name && isAsked(event.namespace ?? "", (name) => event.dimensions?.[name]),
      );
      const sum = own.reduce((total, { amount }) => total + (parseAmount(amount) ?? 0n), 0n);
      return formatPlain(meter.spec.aggregate === "count" ? BigInt(own.length) * 1_000_000n : sum, 6);
    }
    const { apiVersion = "", kind = "" } = meter.spec.objects ?? {};
    this.#take({ type: "BOOKMARK", apiVersion, kind });
    let quantity = 0n;
    for (const piece of objectPieces(compiled(meter), this.#replay.histories(), { hash: (value) => value })) {
      if (piece.kind !== "level" || !isAsked(piece.namespace, (name) => piece.dimensions.get(name))) continue;
      quantity += piece.amount * BigInt(piece.end - piece.start);
    }
    return formatPlain(quantity, 9);
  }

  #take(line: { readonly [name: string]: unknown }): void {
    const at = new Date(this.#now()).toISOString();
    const parsed = parseJournalLine({ n: ++this.#n, at, ...line }, parseInstant);
    if (typeof parsed !== "string") this.#replay.take(parsed);
  }
}

/** The meter as a book has it. */
function compiled({ name, spec }: ObjectMeter): Meter {
  const { meters } = parseBook(JSON.stringify({ meters: [{ name, ...spec }] }));
  const [only] = meters.values();
  if (only === undefined) throw new Error(`the meter ${name} is not in its book`);
  return only;
}
