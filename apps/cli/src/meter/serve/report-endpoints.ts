/** `GET report` and `GET coverage`. */
import { type JsonReport, type ReportRequest, bucketKinds, focusVersions, runReport } from "@capstan/metering";
import { toRequest } from "../../commands/meter-report.ts";
import { focusCsv, reportCsv } from "../report-output.ts";
import { type Answer, csvText, json, jsonWithRows } from "./answer.ts";
import { type Scope, needTenant } from "./caller.ts";
import { Parameters } from "./parameters.ts";
import type { Setting } from "./setting.ts";

const known = [
  "format",
  "from",
  "to",
  "period",
  "meter",
  "by",
  "bucket",
  "time-zone",
  "tenant",
  "where",
  "idle",
  "shared",
  "ratio",
  "require-complete",
  "cost",
  "no-cost",
  "spreadsheet-safe",
  "as-billed",
  "focus-version",
] as const;

/** A report of what the caller may see. */
export async function getReport(setting: Setting, search: URLSearchParams, scope: Scope): Promise<Answer> {
  const parameters = new Parameters(search, known);
  const format = parameters.choice("format", ["json", "csv", "focus"], "json");
  const withCost = withCostOf(parameters);
  const report = await ownReport(setting, parameters, scope);
  const isComplete = report.coverage.every(({ complete }) => complete);
  const answer =
    format === "focus"
      ? csvText(await focusOf(setting, parameters, report))
      : format === "csv"
        ? csvText(reportCsv(report, { withCost, spreadsheetSafe: parameters.flag("spreadsheet-safe") ?? false }))
        : jsonWithRows(report, "rows", report.rows);
  return { ...answer, headers: { "Capstan-Complete": String(isComplete) } };
}

/** What was observed of the caller's meters. */
export async function getCoverage(setting: Setting, search: URLSearchParams, scope: Scope): Promise<Answer> {
  const parameters = new Parameters(search, ["format", "from", "to", "period", "meter", "time-zone", "tenant"]);
  parameters.choice("format", ["json"], "json");
  const { from, to, coverage } = await ownReport(setting, parameters, scope);
  return json({ from, to, coverage });
}

async function focusOf(setting: Setting, parameters: Parameters, report: JsonReport): Promise<string> {
  return focusCsv(report, {
    book: await setting.book(),
    tenant: parameters.text("tenant"),
    isBilled: parameters.flag("as-billed") ?? false,
    version: parameters.choice("focus-version", focusVersions, "1.2"),
    spreadsheetSafe: parameters.flag("spreadsheet-safe") ?? false,
  });
}

function withCostOf(parameters: Parameters): boolean {
  return (parameters.flag("cost") ?? true) && parameters.flag("no-cost") !== true;
}

async function ownReport(setting: Setting, parameters: Parameters, scope: Scope): Promise<JsonReport> {
  const tenant = parameters.text("tenant");
  needTenant(scope, tenant);
  const book = await setting.book();
  const words = {
    output: "json",
    from: parameters.text("from"),
    to: parameters.text("to"),
    period: parameters.text("period"),
    meter: parameters.list("meter"),
    by: parameters.list("by"),
    bucket: parameters.choice("bucket", bucketKinds, "total"),
    "time-zone": parameters.text("time-zone"),
    tenant,
    where: parameters.all("where"),
    idle: parameters.choice("idle", ["show", "hide", "share"], "show"),
    shared: parameters.choice("shared", ["show", "split"], "show"),
    ratio: parameters.text("ratio"),
    cost: withCostOf(parameters),
    "spreadsheet-safe": false,
    "as-billed": parameters.flag("as-billed") ?? false,
  };
  const request: ReportRequest = toRequest(words, book);
  await using store = await setting.openStore();
  if (scope.kind === "all") return (await runReport(store, book, request)).json;
  const { json: report } = await runReport(store, book, { ...request, visible: scope.tenants });
  // Another tenant's gaps are not the caller's business: only meters that are shown or asked for are covered.
  const own = new Set([...report.rows.flatMap(({ meter }) => meter.split("/")), ...request.meters]);
  return { ...report, coverage: report.coverage.filter(({ meter }) => own.has(meter)) };
}
