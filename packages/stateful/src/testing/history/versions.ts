/** The order of versions of each key, from the longest read; and what is wrong before any dependency is followed. */
import type { Anomaly, ListOperation, Transaction } from "./history.ts";

/** One append with its transaction. */
export interface Append {
  readonly transaction: number;
  readonly value: number;
  /** A later operation of the same transaction appends to the key again. */
  readonly isIntermediate: boolean;
}

/** A read of committed work: what it saw, without the appends of its own transaction. */
export interface ExternalRead {
  readonly transaction: number;
  readonly values: readonly number[];
}

/** What is known of a key. */
export interface KeyHistory {
  readonly key: string;
  readonly appends: ReadonlyMap<number, Append>;
  /** The values in the order in which they were installed, as far as a read shows it. */
  readonly order: readonly number[];
  readonly reads: readonly ExternalRead[];
}

/** All keys, which transactions took effect, and the anomalies that show without dependencies. */
export interface Versions {
  readonly keys: readonly KeyHistory[];
  readonly isCommitted: (transaction: number) => boolean;
  readonly anomalies: readonly Anomaly[];
}

export function versionsOf(history: readonly Transaction[]): Versions {
  const appends = collectAppends(history);
  const reads = collectReads(history);
  const observed = new Set<number>();
  for (const [key, all] of reads) {
    for (const { values } of all) for (const value of values) add(observed, appends.get(key)?.get(value)?.transaction);
  }
  // A transaction that a read shows was committed, whatever response its client got.
  const isCommitted = (at: number): boolean =>
    history[at]?.outcome === "committed" || (history[at]?.outcome === "unknown" && observed.has(at));
  const names = new Set([...appends.keys(), ...reads.keys()]);
  const keys = [...names].map((key): KeyHistory => {
    const own = (reads.get(key) ?? []).filter(({ transaction }) => isCommitted(transaction));
    const longest = own.reduce<readonly number[]>(
      (best, { values }) => (values.length > best.length ? values : best),
      [],
    );
    return { key, appends: appends.get(key) ?? new Map(), order: longest, reads: own };
  });
  const anomalies = [
    ...internalAnomalies(history),
    ...keys.flatMap((key) => anomaliesOf(key, { history, isCommitted })),
  ];
  return { keys, isCommitted, anomalies };
}

function add(set: Set<number>, value: number | undefined): void {
  if (value !== undefined) set.add(value);
}

function collectAppends(history: readonly Transaction[]): Map<string, Map<number, Append>> {
  const all = new Map<string, Map<number, Append>>();
  for (const [transaction, { operations }] of history.entries()) {
    for (const [at, operation] of operations.entries()) {
      if (operation.do !== "append") continue;
      const { key, value } = operation;
      const isIntermediate = operations.slice(at + 1).some((later) => later.do === "append" && later.key === key);
      const ofKey = all.get(key) ?? new Map<number, Append>();
      all.set(key, ofKey.set(value, { transaction, value, isIntermediate }));
    }
  }
  return all;
}

/** The first read of each key before the transaction's own appends; later ones are checked by `internalAnomalies`. */
function collectReads(history: readonly Transaction[]): Map<string, ExternalRead[]> {
  const all = new Map<string, ExternalRead[]>();
  for (const [transaction, { operations }] of history.entries()) {
    const own = new Map<string, number>();
    const seen = new Set<string>();
    for (const operation of operations) {
      const { key } = operation;
      if (operation.do === "append") own.set(key, (own.get(key) ?? 0) + 1);
      else if (operation.values !== undefined && !seen.has(key)) {
        seen.add(key);
        const values = operation.values.slice(0, operation.values.length - (own.get(key) ?? 0));
        all.set(key, [...(all.get(key) ?? []), { transaction, values }]);
      }
    }
  }
  return all;
}

/** A transaction sees its own appends, and nothing else that changes. */
function internalAnomalies(history: readonly Transaction[]): Anomaly[] {
  return history.flatMap(({ operations }, transaction) => {
    const known = new Map<string, readonly number[]>();
    const own = new Map<string, readonly number[]>();
    return operations.flatMap((operation): Anomaly[] => checkInternal(operation, { known, own, transaction }));
  });
}

interface Inside {
  /** What the transaction must see of a key: known after its first read. */
  readonly known: Map<string, readonly number[]>;
  readonly own: Map<string, readonly number[]>;
  readonly transaction: number;
}

function checkInternal(operation: ListOperation, { known, own, transaction }: Inside): Anomaly[] {
  const { key } = operation;
  const before = known.get(key);
  if (operation.do === "append") {
    own.set(key, [...(own.get(key) ?? []), operation.value]);
    if (before !== undefined) known.set(key, [...before, operation.value]);
    return [];
  }
  const { values } = operation;
  if (values === undefined) return [];
  const mine = own.get(key) ?? [];
  known.set(key, values);
  const isFine =
    before === undefined ? endsWith(values, mine) : values.length === before.length && endsWith(values, before);
  if (isFine) return [];
  const expected = before === undefined ? `a list that ends with ${mine.join(" ")}` : before.join(" ");
  const message = `transaction ${transaction} reads ${key} as ${values.join(" ")}, expected was ${expected}`;
  return [{ type: "internal", message, transactions: [transaction] }];
}

function endsWith(values: readonly number[], end: readonly number[]): boolean {
  return end.every((value, at) => values[values.length - end.length + at] === value);
}

interface Outcomes {
  readonly history: readonly Transaction[];
  readonly isCommitted: (transaction: number) => boolean;
}

function anomaliesOf({ key, appends, order, reads }: KeyHistory, { history }: Outcomes): Anomaly[] {
  return reads.flatMap(({ transaction, values }) => {
    const found: Anomaly[] = [];
    const report = (type: Anomaly["type"], message: string, other?: number): void =>
      void found.push({ type, message, transactions: other === undefined ? [transaction] : [other, transaction] });
    if (new Set(values).size < values.length) {
      report("duplicate-append", `transaction ${transaction} reads a value of ${key} twice: ${values.join(" ")}`);
    }
    if (values.some((value, at) => order[at] !== value)) {
      report(
        "incompatible-order",
        `transaction ${transaction} reads ${key} as ${values.join(" ")}, another one as ${order.join(" ")}`,
      );
    }
    for (const value of values) {
      const append = appends.get(value);
      if (append === undefined)
        report("unknown-value", `transaction ${transaction} reads ${value} of ${key}, which no transaction appended`);
      else if (history[append.transaction]?.outcome === "aborted") {
        report(
          "G1a",
          `transaction ${transaction} reads ${value} of ${key} from the aborted transaction ${append.transaction}`,
          append.transaction,
        );
      }
    }
    const last = appends.get(values.at(-1) ?? Number.NaN);
    if (last?.isIntermediate === true && last.transaction !== transaction) {
      report(
        "G1b",
        `transaction ${transaction} reads ${last.value} of ${key} from the middle of transaction ${last.transaction}`,
        last.transaction,
      );
    }
    return found;
  });
}
