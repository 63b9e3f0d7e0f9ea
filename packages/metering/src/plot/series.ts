/** The rows of a report as series: one for each combination of dimensions, a value for each bucket. Pure. */
import type { JsonReport } from "../engine/run-report.ts";
import { compareText } from "../number/order.ts";
import { bucketsOf } from "../time/bucket.ts";
import { zoneOf } from "../time/zone.ts";

/** Values over the buckets. */
export interface Series {
  readonly name: string;
  readonly values: readonly number[];
  readonly total: number;
}

/** One meter. */
export interface Panel {
  readonly meter: string;
  readonly unit: string;
  readonly buckets: readonly string[];
  /** The largest first; what is beyond the limit is summed as `other`. */
  readonly series: readonly Series[];
}

/** The panels of a report. Numbers are for the eye: they are rounded as floats are. */
export function panelsOf(report: JsonReport, most = 8): readonly Panel[] {
  const window = { from: Date.parse(report.from), to: Date.parse(report.to) };
  // Buckets without usage are there too: time is not compressed.
  const buckets = bucketsOf(report.bucket, zoneOf(report.timeZone), window);
  const at = new Map(buckets.map(({ name }, index) => [name, index]));
  const byMeter = Map.groupBy(report.rows, ({ meter }) => meter);
  return [...byMeter.keys()].sort(compareText).map((meter) => {
    const rows = byMeter.get(meter) ?? [];
    const values = new Map<string, number[]>();
    for (const row of rows) {
      const parts = report.by.map((name) => row.dimensions[name] ?? "");
      const name = parts.length === 0 ? meter : parts.map((part) => (part === "" ? "-" : part)).join(" / ");
      const own = values.get(name) ?? buckets.map(() => 0);
      values.set(name, own);
      const index = at.get(row.bucket) ?? 0;
      own[index] = (own[index] ?? 0) + Number(row.quantity ?? row.ratio ?? 0);
    }
    const all = [...values].map(([name, own]) => ({
      name,
      values: own,
      total: own.reduce((sum, one) => sum + one, 0),
    }));
    all.sort((a, b) => b.total - a.total || compareText(a.name, b.name));
    return { meter, unit: rows[0]?.unit ?? "", buckets: buckets.map(({ name }) => name), series: limited(all, most) };
  });
}

function limited(all: readonly Series[], most: number): readonly Series[] {
  if (all.length <= most) return all;
  const rest = all.slice(most - 1);
  const values = (rest[0]?.values ?? []).map((_, at) => rest.reduce((sum, one) => sum + (one.values[at] ?? 0), 0));
  return [
    ...all.slice(0, most - 1),
    { name: `other (${rest.length})`, values, total: values.reduce((sum, one) => sum + one, 0) },
  ];
}

/** A number for people: 3 digits and a letter. */
export function shortNumber(value: number): string {
  const size = Math.abs(value);
  const steps = [
    [1e15, "P"],
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ] as const;
  const [unit, letter] = steps.find(([from]) => size >= from) ?? [1, ""];
  return `${Number((value / unit).toPrecision(3))}${letter}`;
}
