/** The kinds of metering in a cluster, and the controllers that serve them. */
export { InvoiceResource, invoiceName } from "../kinds/invoice.ts";
export type { InvoiceKind, InvoiceObject, InvoiceSpec } from "../kinds/invoice.ts";
export { MeterResource } from "../kinds/meter.ts";
export type { MeterKind, MeterObject } from "../kinds/meter.ts";
export { PriceListResource } from "../kinds/price-list.ts";
export type { PriceListKind, PriceListObject } from "../kinds/price-list.ts";
export { UsageReportResource } from "../kinds/usage-report.ts";
export type {
  KeptResult,
  ReportCondition,
  ResultFormat,
  UsageReportKind,
  UsageReportObject,
  UsageReportSpec,
} from "../kinds/usage-report.ts";
export { bookOf } from "./object-book.ts";
export { meteringOperator } from "./operator.ts";
export type { MeteringTools, ResultFormatting } from "./tools.ts";
