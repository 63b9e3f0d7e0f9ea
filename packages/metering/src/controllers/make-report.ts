/** Makes the report of a UsageReport object for one period, with what its namespace may see. */
import type { Book } from "../book/book.ts";
import type { Window } from "../engine/rate.ts";
import { type JsonReport, type ReportRequest, runReport } from "../engine/run-report.ts";
import { MeterError } from "../error.ts";
import type { UsageReportSpec } from "../kinds/usage-report.ts";
import type { Store } from "../store/store.ts";
import { formatInstant } from "../time/instant.ts";

/** What a report is made of. */
export interface Making {
  readonly book: Book;
  readonly spec: UsageReportSpec;
  readonly window: Window;
  /** The tenant of the namespace; absent where all tenants are shown. */
  readonly only: string | undefined;
}

/** The report, and the meters whose data does not reach to the end of the period. */
export interface Made {
  readonly report: JsonReport;
  readonly late: readonly string[];
}

/** Makes the report. */
export async function makeReport(store: Store, { book, spec, window, only }: Making): Promise<Made> {
  if (only !== undefined && spec.tenant !== undefined && spec.tenant !== only)
    throw new MeterError(
      "BadInput",
      `the tenant ${JSON.stringify(spec.tenant)} is not that of the namespace; leave out spec.tenant`,
    );
  const { json: whole } = await runReport(store, book, requestOf(spec, window, only));
  const end = formatInstant(window.to);
  const late = whole.coverage.filter(({ missing }) => missing.some((gap) => gap.end === end)).map(({ meter }) => meter);
  if (only === undefined) return { report: whole, late };
  // Another tenant's gaps are not the reader's business: only meters that are shown or asked for are covered.
  const own = new Set([...whole.rows.flatMap(({ meter }) => meter.split("/")), ...(spec.meters ?? [])]);
  return { report: { ...whole, coverage: whole.coverage.filter(({ meter }) => own.has(meter)) }, late };
}

function requestOf(spec: UsageReportSpec, window: Window, only: string | undefined): ReportRequest {
  const { timeZone, tenant, ratio } = spec;
  return {
    window,
    bucket: spec.bucket,
    by: spec.by ?? [],
    meters: spec.meters ?? [],
    ...(timeZone !== undefined && { timeZone }),
    ...(tenant !== undefined && { tenant }),
    ...(only !== undefined && { visible: [only] }),
    where: new Map(Object.entries(spec.where ?? {})),
    idle: spec.idle,
    shared: spec.shared,
    ...(ratio !== undefined && { ratio: ratioOf(ratio) }),
    withCost: spec.cost,
    asBilled: spec.asBilled,
  };
}

function ratioOf(text: string): readonly [string, string] {
  const [over = "", under = "", more] = text.split("/");
  if (over === "" || under === "" || more !== undefined)
    throw new MeterError("BadInput", `spec.ratio ${JSON.stringify(text)} must be A/B: two meters`);
  return [over, under];
}
