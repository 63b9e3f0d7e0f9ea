/** Usage of tenants: records in, reports and invoices out, exact to the last digit. */

export { MeterError } from "./error.ts";
export type { MeterErrorCode } from "./error.ts";

// The book
export { parseBook, readBook } from "./book/parse-book.ts";
export type { Book, Meter, Price } from "./book/book.ts";

// Stores
export type { Archive, StoredText } from "./store/archive.ts";
export { folderArchive } from "./store/folder-archive.ts";
export type { ArchiveOptions } from "./store/folder-archive.ts";
export { openPostgresArchive, openPostgresStore } from "./store/postgres/postgres-store.ts";
export type { PostgresStoreOptions } from "./store/postgres/postgres-store.ts";
export { openFolderStore } from "./store/folder-store.ts";
export type { FolderStoreOptions } from "./store/folder-store.ts";
export type { QueryResult, Relation, Store } from "./store/store.ts";

// Exports
export { exportUsage, tableOfRecords, textRelation } from "./export/export-usage.ts";
export type { ExportedRecord, UsageExport } from "./export/export-usage.ts";

// Removal
export { forgetUsage, retainUsage } from "./forget/forget.ts";
export type { ForgetRequest, Forgotten } from "./forget/forget.ts";

// Health
export { checkStore } from "./doctor/check-store.ts";
export type { Check } from "./doctor/check-store.ts";

// The audit
export { appendAudit, auditProblems, readAudit } from "./audit/audit.ts";
export type { AuditAction, AuditEntry, AuditEvent } from "./audit/audit.ts";

// Imports
export { importUsage } from "./record/import-usage.ts";
export type { ImportOptions, Input } from "./record/import-usage.ts";
export { importObjects } from "./journal/import-objects.ts";
export type { ObjectImport } from "./journal/import-objects.ts";
export { importKubernetes, kindsOf } from "./kubernetes/import-kubernetes.ts";
export type { KubernetesImport, KubernetesResult } from "./kubernetes/import-kubernetes.ts";
export { importMetrics } from "./metrics/import-metrics.ts";
export type { MetricsImport } from "./metrics/import-metrics.ts";
export { billOfCsv, billOfRecords, importFocus } from "./bill/import-focus.ts";
export type { BillFile, BillRow, FocusImport } from "./bill/import-focus.ts";
export { importPrometheus } from "./prometheus/import-prometheus.ts";
export type { PrometheusImport, PrometheusResult } from "./prometheus/import-prometheus.ts";
export type { Server } from "./prometheus/server.ts";
export { needFile, parseExactJson, parseLine, readBillFile, readJournal, readRecords } from "./record/read-file.ts";
export { findRecords, tenancyOfStore } from "./record/find-records.ts";
export type { Tenancy } from "./engine/piece.ts";
export type { ImportResult, Problem, Reason, UsageRow } from "./record/usage.ts";

// Reports
export { runReport } from "./engine/run-report.ts";
export type { JsonReport, JsonRow, Report, ReportRequest } from "./engine/run-report.ts";
export { reportRelation } from "./report/relation.ts";
export { focusRows } from "./focus/focus-rows.ts";
export type { FocusContext } from "./focus/focus-rows.ts";
export { focusColumns, focusVersions } from "./focus/focus-columns.ts";
export type { FocusColumn, FocusRow, FocusVersion } from "./focus/focus-columns.ts";
export { bucketKinds } from "./time/bucket.ts";
export type { BucketKind } from "./time/bucket.ts";

// Prices and queries
export { quote } from "./engine/quote.ts";
export type { Quote, QuoteRequest } from "./engine/quote.ts";
export { runStoreQuery } from "./engine/run-query.ts";

// Invoices
export { readInvoices, verifyInvoices } from "./invoice/archive.ts";
export type { Verdict, Verification } from "./invoice/archive.ts";
export { closeInvoices, draftInvoices } from "./invoice/bill.ts";
export type { BillRequest, CloseRequest, Closing } from "./invoice/bill.ts";
export type { Invoice, InvoiceLine } from "./invoice/invoice.ts";

// Plots
export { panelsOf } from "./plot/series.ts";
export { sparklines } from "./plot/sparkline.ts";
export { toSvg } from "./plot/svg.ts";

// Classic reports
export { addObjects as addClassicObjects, noObjects as noClassicObjects } from "./classic/objects.ts";
export type { ClassicDataSource, ClassicImporter, ClassicObjects } from "./classic/objects.ts";
export { collectRows as collectClassicRows } from "./classic/collect-rows.ts";
export { formatClassic, formatClassicCells } from "./classic/classic-output.ts";
export type { ClassicFormat } from "./classic/classic-output.ts";
export { importRows as importClassicRows, readRows as readClassicRows } from "./classic/rows.ts";
export type { RowsImport } from "./classic/rows.ts";
export { renderClassicQuery, runClassicReport } from "./classic/run-classic.ts";
export type { ClassicResult, ClassicRun, RenderRequest } from "./classic/run-classic.ts";

// Time on command lines
export { formatInstant, parseDuration, parseInstant, parsePeriod, parseTime } from "./time/instant.ts";
export { zoneOf } from "./time/zone.ts";
export type { Zone } from "./time/zone.ts";
