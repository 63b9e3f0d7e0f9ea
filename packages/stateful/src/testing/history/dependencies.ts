/** The dependencies between transactions: what each must be before, in any serial order that explains the history. */
import type { Dependency, Transaction } from "./history.ts";
import type { KeyHistory, Versions } from "./versions.ts";

/** The dependencies of all keys, and of real time. */
export function dependenciesOf(
  history: readonly Transaction[],
  { keys, isCommitted }: Versions,
): readonly Dependency[] {
  const all = keys.flatMap((key) => dependenciesOfKey(key, isCommitted));
  const isReal = ({ from, to }: Dependency): boolean => from !== to && isCommitted(from) && isCommitted(to);
  return [...all.filter(isReal), ...realTime(history, isCommitted)];
}

function dependenciesOfKey(
  { appends, order, reads }: KeyHistory,
  isCommitted: Versions["isCommitted"],
): readonly Dependency[] {
  const writerOf = (value: number | undefined): number | undefined =>
    value === undefined ? undefined : appends.get(value)?.transaction;
  const observed = new Set(order);
  // What no read shows was installed after all that one shows.
  const unobserved = [...appends.values()]
    .filter(({ value, transaction }) => !observed.has(value) && isCommitted(transaction))
    .map(({ transaction }) => transaction);
  const found: Dependency[] = [];
  const add = (type: Dependency["type"], from: number | undefined, to: number | undefined): void => {
    if (from !== undefined && to !== undefined) found.push({ type, from, to });
  };
  for (const [at, value] of order.entries()) add("ww", writerOf(order[at - 1]), writerOf(value));
  for (const writer of unobserved) add("ww", writerOf(order.at(-1)), writer);
  for (const { transaction, values } of reads) {
    add("wr", writerOf(values.at(-1)), transaction);
    const next = order[values.length];
    if (next !== undefined) add("rw", transaction, writerOf(next));
    else for (const writer of unobserved) add("rw", transaction, writer);
  }
  return found;
}

/** The order of real time, without what follows from the rest of it. */
function realTime(history: readonly Transaction[], isCommitted: Versions["isCommitted"]): readonly Dependency[] {
  const events = history.flatMap(({ began, ended, outcome }, transaction) => {
    if (!isCommitted(transaction)) return [];
    const start = { time: began, isEnd: false, transaction };
    // An unknown transaction may take effect at any later time.
    return ended === undefined || outcome !== "committed"
      ? [start]
      : [start, { time: ended, isEnd: true, transaction }];
  });
  const found: Dependency[] = [];
  const before = new Map<number, readonly number[]>();
  const frontier = new Set<number>();
  // A transaction that begins at the instant at which another ends is concurrent with it.
  for (const { isEnd, transaction } of events.toSorted(
    (a, b) => a.time - b.time || Number(a.isEnd) - Number(b.isEnd),
  )) {
    if (isEnd) {
      for (const earlier of before.get(transaction) ?? []) frontier.delete(earlier);
      frontier.add(transaction);
    } else {
      before.set(transaction, [...frontier]);
      for (const from of frontier) found.push({ type: "rt", from, to: transaction });
    }
  }
  return found;
}
