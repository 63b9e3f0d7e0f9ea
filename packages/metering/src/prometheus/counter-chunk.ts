/** One chunk of a counter meter: readings as they were scraped, of one replica. */
import { parseAmount } from "../number/decimal.ts";
import type { Tally } from "../record/import-usage.ts";
import type { Store } from "../store/store.ts";
import { formatInstant } from "../time/instant.ts";
import { type Replica, type SeriesContext, formatOwned, isSample, replicasOf } from "./series.ts";
import type { Series } from "./server.ts";

/** A reading of a counter. */
export interface Reading {
  readonly at: number;
  readonly amount: bigint;
  /** Text of the owner of the series. */
  readonly series: string;
  /** JSON of the values of the replica labels. */
  readonly replica: string;
}

/** What judging the samples of a chunk needs. */
export interface CounterChunk extends SeriesContext {
  readonly store: Store;
  readonly tally: Tally;
  readonly from: number;
  readonly to: number;
  /** The last chunk includes its end. */
  readonly isLast: boolean;
  readonly mayBeKnown: boolean;
}

/** The new readings of a chunk; the others are counted. */
export async function counterReadings(series: readonly Series[], chunk: CounterChunk): Promise<Reading[]> {
  const readings = replicasOf(series, chunk).flatMap((replicas) => readingsOf(replicas, chunk));
  const known = chunk.mayBeKnown ? await knownReadings(chunk) : new Map<string, bigint>();
  return readings.filter((reading) => {
    const first = known.get(`${reading.series}@${reading.at}`);
    if (first === undefined) return true;
    if (first === reading.amount) chunk.tally.duplicate += 1;
    else
      chunk.tally.refuse({
        where: `${chunk.meter.name}@${formatInstant(reading.at)}`,
        reason: "Conflict",
        message: "this sample is stored with another value; the first one stays",
      });
    return false;
  });
}

async function knownReadings({ store, meter, from, to }: CounterChunk): Promise<Map<string, bigint>> {
  const known = new Map<string, bigint>();
  for await (const rows of store.read("samples", { from, to: to + 1 }))
    for (const [name, at, amount, series] of rows)
      if (name === meter.name) known.set(`${String(series)}@${String(at)}`, BigInt(amount ?? 0));
  return known;
}

/** The smallest replica that has samples is followed; the samples of the others are duplicates. */
function readingsOf(replicas: readonly Replica[], chunk: CounterChunk): Reading[] {
  const { from, to, isLast, tally, meter } = chunk;
  const isInside = (at: number): boolean => at >= from && (at < to || (isLast && at === to));
  const readings: Reading[] = [];
  let isFollowed = false;
  for (const { owned, replica, samples } of replicas) {
    const inside = samples.filter((sample) => isInside(sample.at) && isSample(sample));
    tally.read += inside.length;
    if (isFollowed) {
      tally.duplicate += inside.length;
      continue;
    }
    isFollowed = inside.length > 0;
    for (const { at, value } of inside) {
      const amount = parseAmount(value);
      if (amount === undefined || amount < 0n) {
        const where = `${meter.name}@${formatInstant(at)}`;
        tally.refuse({ where, reason: "BadAmount", message: `${value} is not a reading of a counter: 0 to 10^24` });
      } else readings.push({ at, amount, series: formatOwned(owned), replica: JSON.stringify(replica) });
    }
  }
  return readings;
}
