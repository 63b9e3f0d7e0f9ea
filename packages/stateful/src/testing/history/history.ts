/** Histories of transactions that append to lists and read them: an append is unique for its key, so a read shows its own past. */

/**
 * One operation. A read has the whole list, oldest first; in an aborted or unknown transaction it may be missing.
 *
 * @example
 * const operation: ListOperation = { do: "append", key: "x", value: 1 };
 */
export type ListOperation =
  | { readonly do: "append"; readonly key: string; readonly value: number }
  | { readonly do: "read"; readonly key: string; readonly values?: readonly number[] | undefined };

/**
 * A transaction as its client saw it. Times are of one clock; a transaction without a response has no end.
 *
 * @example
 * const transaction: Transaction = { began: 1, ended: 2, outcome: "committed", operations: [] };
 */
export interface Transaction {
  readonly began: number;
  readonly ended?: number | undefined;
  /** `unknown`: the client heard nothing, so it happened or it did not. */
  readonly outcome: "committed" | "aborted" | "unknown";
  readonly operations: readonly ListOperation[];
}

/** Why one transaction is before another. `ww`: it wrote the version before; `wr`: the other read its version; `rw`: the other
 * wrote the version after the one that it read; `rt`: it ended before the other began. */
export type DependencyType = "ww" | "wr" | "rw" | "rt";

/** A dependency between two transactions, by index. */
export interface Dependency {
  readonly from: number;
  readonly to: number;
  readonly type: DependencyType;
}

/**
 * What a history shows that a serializable database does not do, in the words of Adya. `-realtime`: only together with the order in
 * which clients saw the transactions.
 *
 * @example
 * const isLost = ({ type }: Anomaly) => type === "G-single-realtime";
 */
export interface Anomaly {
  readonly type:
    | "duplicate-append"
    | "unknown-value"
    | "incompatible-order"
    | "internal"
    | "G1a"
    | "G1b"
    | CycleType
    | `${CycleType}-realtime`;
  readonly message: string;
  /** The transactions that take part, by index; those of a cycle in its order. */
  readonly transactions: readonly number[];
}

/** Cycles by the dependencies that they consist of. */
export type CycleType = "G0" | "G1c" | "G-single" | "G2";
