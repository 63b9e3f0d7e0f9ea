/** Reads the rows of a classic data source from Prometheus, chunk after chunk. */
import { MeterError } from "../error.ts";
import { askMatrix } from "../prometheus/server.ts";
import type { Input } from "../record/import-usage.ts";
import { formatInstant } from "../time/instant.ts";
import type { ClassicDataSource } from "./objects.ts";

/** The steps of one query. */
const chunkSteps = 1000;

/** What is read, and how attempts are delayed. */
export interface RowsWindow {
  readonly from: number;
  readonly to: number;
  readonly pause: (milliseconds: number) => Promise<void>;
}

/** The samples of the source's query at all multiples of its step in a window, both ends included as metering-operator had it. */
export async function* collectRows(
  source: ClassicDataSource & { readonly type: "rows" },
  { from, to, pause }: RowsWindow,
): AsyncIterable<Input> {
  const { importer } = source;
  if (importer === undefined) throw new MeterError("BadInput", `${source.name} is not imported from Prometheus`);
  if (importer.url === undefined)
    throw new MeterError(
      "BadInput",
      `${source.name} names no server: set spec.prometheusMetricsImporter.prometheusConfig.url`,
    );
  const { step, query, url } = importer;
  const server = { url, headers: {}, retries: 2, pause };
  const first = Math.ceil(from / step) * step;
  for (let start = first; start <= to; start += chunkSteps * step) {
    const end = Math.min(to, start + (chunkSteps - 1) * step);
    const times = { start: String(start / 1000), end: String(end / 1000), step: String(step / 1000) };
    const { series } = await askMatrix(server, "query_range", { query, ...times });
    for (const { labels, samples } of series)
      for (const { at, value } of samples)
        if (Number.isFinite(Number(value)))
          yield {
            where: `${source.name}@${formatInstant(at)}`,
            value: { amount: value, timestamp: formatInstant(at), labels, timePrecision: step / 1000 },
          };
  }
}
