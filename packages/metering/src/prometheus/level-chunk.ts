/** One chunk of a level meter: every sample is a level for one step. */
import { parseAmount } from "../number/decimal.ts";
import type { Tally } from "../record/import-usage.ts";
import type { UsageRow } from "../record/usage.ts";
import type { Store } from "../store/store.ts";
import { toUsage } from "../store/tables.ts";
import { formatInstant } from "../time/instant.ts";
import { type Replica, type SeriesContext, isSample, replicasOf } from "./series.ts";
import type { Series } from "./server.ts";

/** The source of the rows. */
export const prometheusSource = "prometheus";

/** The instants of a chunk; undefined where it has none. */
export function instantsOf(
  step: number,
  { from, to }: { readonly from: number; readonly to: number },
): { readonly first: number; readonly last: number } | undefined {
  const first = Math.ceil(from / step) * step;
  const last = Math.ceil(to / step) * step - step;
  return first > last ? undefined : { first, last };
}

/** What judging the samples of a chunk needs. */
export interface LevelChunk extends SeriesContext {
  readonly store: Store;
  readonly tally: Tally;
  readonly step: number;
  /** Rows of this time may be there already. */
  readonly mayBeKnown: boolean;
}

interface Candidate {
  readonly where: string;
  readonly row: UsageRow;
}

/** The new rows of a chunk; the others are counted. */
export async function levelRows(series: readonly Series[], chunk: LevelChunk): Promise<UsageRow[]> {
  const candidates = replicasOf(series, chunk).flatMap((replicas) => candidatesOf(replicas, chunk));
  const known = new Map<string, UsageRow>();
  if (chunk.mayBeKnown) {
    const identities = candidates.map(({ row: { source, id } }) => ({ source, id }));
    for (const cells of await chunk.store.findUsage(identities)) {
      const row = toUsage(cells);
      known.set(row.id, row);
    }
  }
  return candidates.filter((candidate) => isNew(candidate, known, chunk.tally)).map(({ row }) => row);
}

function isNew({ where, row }: Candidate, known: ReadonlyMap<string, UsageRow>, tally: Tally): boolean {
  const first = known.get(row.id);
  if (first === undefined) return true;
  if (first.amount === row.amount && first.end === row.end) tally.duplicate += 1;
  else
    tally.refuse({
      where,
      id: row.id,
      reason: "Conflict",
      message: "this sample is stored with another value; the first one stays",
    });
  return false;
}

/** Of each instant the smallest replica that has a sample. */
function candidatesOf(replicas: readonly Replica[], { meter, step, tally }: LevelChunk): Candidate[] {
  const found = new Map<number, Candidate>();
  for (const { owned, samples } of replicas) {
    for (const sample of samples) {
      if (!isSample(sample)) continue;
      tally.read += 1;
      if (found.has(sample.at)) {
        tally.duplicate += 1;
        continue;
      }
      const { identity, ...owner } = owned;
      const where = `${meter.name}@${formatInstant(sample.at)}`;
      const amount = parseAmount(sample.value);
      if (amount === undefined || amount < 0n) {
        tally.refuse({ where, reason: "BadAmount", message: `${sample.value} is not a level: 0 to 10^24` });
        continue;
      }
      const times = { start: sample.at, end: sample.at + step };
      const id = `${identity}:${sample.at}`;
      const row = { meter: meter.name, ...times, amount, ...owner, source: prometheusSource, id, corrects: "" };
      found.set(sample.at, { where, row });
    }
  }
  return [...found.values()];
}
