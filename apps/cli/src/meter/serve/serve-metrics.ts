/** The server's own metrics as Prometheus reads them. */
import type { ImportResult } from "@capstan/metering";

const counted = ["read", "stored", "duplicate", "late", "conflict", "rejected"] as const;

/** Counts since the start of the server. */
export class ServeMetrics {
  readonly #rows = new Map<string, number>(counted.map((name) => [name, 0]));
  readonly #requests = new Map<string, { count: number; seconds: number }>();
  #refused = 0;

  /** Adds the counts of an import. */
  imported(result: ImportResult): void {
    for (const name of counted) this.#rows.set(name, (this.#rows.get(name) ?? 0) + result[name]);
  }

  /** Adds an answered request. */
  answered(endpoint: string, seconds: number): void {
    const before = this.#requests.get(endpoint) ?? { count: 0, seconds: 0 };
    this.#requests.set(endpoint, { count: before.count + 1, seconds: before.seconds + seconds });
  }

  /** Counts a refused access. */
  refused(): void {
    this.#refused += 1;
  }

  /** The text format; the watermarks are those of the store now. */
  text(watermarks: ReadonlyMap<string, number>, now: number): string {
    const lines = [
      "# HELP capstan_meter_rows_total Rows of imports by outcome.",
      "# TYPE capstan_meter_rows_total counter",
      ...[...this.#rows].map(([name, value]) => `capstan_meter_rows_total{outcome="${name}"} ${value}`),
      "# HELP capstan_meter_refused_total Requests without the right.",
      "# TYPE capstan_meter_refused_total counter",
      `capstan_meter_refused_total ${this.#refused}`,
      "# HELP capstan_meter_query_seconds Time to answer requests, by endpoint.",
      "# TYPE capstan_meter_query_seconds summary",
      ...[...this.#requests].flatMap(([endpoint, { count, seconds }]) => [
        `capstan_meter_query_seconds_sum{endpoint="${endpoint}"} ${seconds}`,
        `capstan_meter_query_seconds_count{endpoint="${endpoint}"} ${count}`,
      ]),
      "# HELP capstan_meter_watermark_age_seconds Time since the end of what is imported, by meter.",
      "# TYPE capstan_meter_watermark_age_seconds gauge",
      ...[...watermarks].map(
        ([meter, at]) => `capstan_meter_watermark_age_seconds{meter="${meter}"} ${(now - at) / 1000}`,
      ),
    ];
    return `${lines.join("\n")}\n`;
  }
}
