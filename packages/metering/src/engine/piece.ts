/** A piece of usage, from any source: what reports and invoices are made of. */
import type { Aggregate } from "../book/book.ts";
import { compareText } from "../number/order.ts";

/** How the amount lies in time. */
export type PieceKind = "level" | "event" | "spread" | "sum";

/** One piece. */
export interface Piece {
  readonly kind: PieceKind;
  readonly meter: string;
  readonly start: number;
  readonly end: number;
  /** Millionths: a level, the amount of an event, or a total that is spread; for a sum the quantity with 9 digits. */
  readonly amount: bigint;
  /** Empty where the namespace decides. */
  readonly tenant: string;
  readonly namespace: string;
  readonly cluster: string;
  readonly dimensions: ReadonlyMap<string, string>;
  readonly id: string;
}

/** Which tenant a namespace belongs to, over time. */
export interface Tenancy {
  /** The instants inside `(start, end)` at which the tenant changes. */
  changes(piece: Pick<Piece, "cluster" | "namespace" | "start" | "end">): readonly number[];
  /** All instants at which any tenant changes. */
  readonly instants: readonly number[];
  tenantAt(piece: Pick<Piece, "cluster" | "namespace">, instant: number): string;
}

/** The quantity of records, with 9 fractional digits; parts merge without loss. */
export class Quantity {
  readonly #aggregate: Aggregate;
  readonly #unique: string | undefined;
  #sum = 0n;
  #seen: Set<string> | undefined;
  #last: { at: number; id: string } | undefined;

  constructor(aggregate: Aggregate, unique: string | undefined) {
    this.#aggregate = aggregate;
    this.#unique = unique;
  }

  /** Adds a piece, or the part of one. */
  add(piece: Piece, quantity: bigint): void {
    switch (this.#aggregate) {
      case "sum":
        this.#sum += quantity;
        return;
      case "count":
        this.#sum += piece.kind === "sum" ? quantity : 1_000_000_000n;
        return;
      case "max":
        this.#max(quantity);
        return;
      case "last":
        this.#later({ at: piece.start, id: piece.id }, quantity);
        return;
      case "unique":
        (this.#seen ??= new Set()).add(piece.dimensions.get(this.#unique ?? "") ?? "");
    }
  }

  #max(quantity: bigint): void {
    if (this.#last === undefined || quantity > this.#sum) this.#sum = quantity;
    this.#last ??= { at: 0, id: "" };
  }

  #later(record: { at: number; id: string }, quantity: bigint): void {
    const last = this.#last;
    if (last !== undefined && (record.at < last.at || (record.at === last.at && compareText(record.id, last.id) <= 0)))
      return;
    this.#last = record;
    this.#sum = quantity;
  }

  /** Adds a sum that is known already. */
  addSum(quantity: bigint): void {
    this.#sum += quantity;
  }

  /** Adds all that another one has. */
  merge(other: Quantity): void {
    switch (this.#aggregate) {
      case "sum":
      case "count":
        this.#sum += other.#sum;
        return;
      case "max":
        if (other.#last !== undefined) this.#max(other.#sum);
        return;
      case "last":
        if (other.#last !== undefined) this.#later(other.#last, other.#sum);
        return;
      case "unique":
        for (const value of other.#seen ?? []) (this.#seen ??= new Set()).add(value);
    }
  }

  get value(): bigint {
    return this.#aggregate === "unique" ? BigInt(this.#seen?.size ?? 0) * 1_000_000_000n : this.#sum;
  }
}
