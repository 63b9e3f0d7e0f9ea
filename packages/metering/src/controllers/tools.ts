/** What the controllers of metering need from outside. */
import type { Book } from "../book/book.ts";
import type { JsonReport } from "../engine/run-report.ts";
import type { Invoice } from "../invoice/invoice.ts";
import type { ResultFormat, UsageReportSpec } from "../kinds/usage-report.ts";
import type { Store } from "../store/store.ts";

/** How a result is written. */
export interface ResultFormatting {
  readonly format: ResultFormat;
  readonly spec: UsageReportSpec;
  readonly book: Book;
}

/** The store, the clock, and what a report is written as. */
export interface MeteringTools {
  /** Opens the store as it is now. */
  readonly openStore: () => Promise<Store>;
  /** The closed invoices of the store. */
  readonly invoices: () => Promise<readonly Invoice[]>;
  readonly now: () => number;
  /** Reports in these namespaces show all tenants. */
  readonly adminNamespaces: readonly string[];
  readonly format: (report: JsonReport, how: ResultFormatting) => string;
}
