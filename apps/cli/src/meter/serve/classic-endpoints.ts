/** The paths of metering-operator: reports, rendered queries, and rows of data sources. */
import { tmpdir } from "node:os";
import { setTimeout } from "node:timers/promises";
import {
  type ClassicDataSource,
  type ClassicFormat,
  type ClassicObjects,
  type ClassicResult,
  collectClassicRows,
  formatClassic,
  formatClassicCells,
  importClassicRows,
  parseInstant,
  readClassicRows,
  renderClassicQuery,
  runClassicReport,
} from "@capstan/metering";
import { importHappenings } from "../auditing.ts";
import type { Answer } from "./answer.ts";
import { HttpError, toHttpError } from "./http-error.ts";
import type { Setting } from "./setting.ts";

/** A request to a classic path. */
export interface ClassicCall {
  readonly method: string;
  readonly path: string;
  readonly search: URLSearchParams;
  readonly body: () => Promise<string>;
  readonly user: string;
  readonly setting: Setting;
  readonly objects: ClassicObjects;
}

/** Whether a path stores usage: that needs another right than to read reports. */
export function isClassicImport(path: string): boolean {
  return /^\/api\/v1\/datasources\/prometheus\/(?:collect|store)(?:\/|$)/.test(path);
}

/** Answers; errors have the form that they had. */
export async function answerClassic(call: ClassicCall): Promise<Answer> {
  try {
    return await answer(call);
  } catch (thrown) {
    const error = toHttpError(thrown);
    return jsonAnswer({ error: error.message }, error.code);
  }
}

function jsonAnswer(value: unknown, status = 200): Answer {
  return { status, type: "application/json", body: [`${JSON.stringify(value)}\n`] };
}

async function answer(call: ClassicCall): Promise<Answer> {
  const { path, search } = call;
  if (path === "/api/v1/reports/get") {
    need(search, ["name", "format"]);
    return getReport(call, { name: search.get("name") ?? "", shape: "flat" });
  }
  const [, report = "", shape] = /^\/api\/v2\/reports\/[^/]+\/([^/]*)\/(full|table)$/.exec(path) ?? [];
  if (shape === "full" || shape === "table") {
    need(search, ["format"]);
    if (report === "") throw new HttpError(400, "the following fields are missing or empty: name");
    return getReport(call, { name: decodeURIComponent(report), shape });
  }
  return answerData(call);
}

/** Rendered queries, and rows of data sources. */
async function answerData(call: ClassicCall): Promise<Answer> {
  const { path } = call;
  const [, place = "", query] = /^\/api\/v2\/reportqueries\/([^/]+)\/([^/]+)\/render$/.exec(path) ?? [];
  if (query !== undefined) return renderQuery(call, { namespace: place, name: decodeURIComponent(query) });
  const [, act, , source] =
    /^\/api\/v1\/datasources\/prometheus\/(collect|store|fetch)\/([^/]+)(?:\/([^/]+))?$/.exec(path) ?? [];
  const name = source === undefined ? undefined : decodeURIComponent(source);
  if (act === "collect") return collect(call, name);
  if (name !== undefined && act === "store") return store(call, name);
  if (name !== undefined && act === "fetch") return fetchRows(call, name);
  throw new HttpError(404, `there is nothing at ${JSON.stringify(path)}`);
}

function need(search: URLSearchParams, names: readonly string[]): void {
  const missing = names.filter((name) => (search.get(name) ?? "") === "");
  if (missing.length > 0) throw new HttpError(400, `the following fields are missing or empty: ${missing.join(",")}`);
}

const formats: { readonly [name: string]: ClassicFormat } = { json: "json", csv: "csv", tab: "tab", tabular: "tab" };
const types = { json: "application/json", csv: "text/csv", tab: "text/tab-separated-values" } as const;

interface AskedReport {
  readonly name: string;
  readonly shape: "flat" | "full" | "table";
}

function formatOf(search: URLSearchParams): { readonly format: ClassicFormat; readonly padding: number } {
  const format = formats[search.get("format") ?? ""];
  if (format === undefined) throw new HttpError(400, "format must be one of: csv, json or tabular");
  const padding = Number(search.get("padding") ?? "2");
  if (!Number.isInteger(padding) || padding < 0 || padding > 100)
    throw new HttpError(500, `invalid padding value ${search.get("padding") ?? ""}`);
  return { format, padding };
}

async function getReport(call: ClassicCall, { name, shape }: AskedReport): Promise<Answer> {
  const { method, search, objects } = call;
  if (method !== "GET" && method !== "HEAD") throw new HttpError(404, "Not found");
  const { format, padding } = formatOf(search);
  if (!objects.reports.has(name))
    throw new HttpError(404, `error getting report: Report ${JSON.stringify(name)} not found`);
  const result = await run(call, name);
  if (result.lastReportTime === undefined && result.waiting !== undefined)
    return jsonAnswer({ error: `Report is not processed yet: ${result.waiting.message}` }, 202);
  const extension = format === "tab" ? "tsv" : format;
  const headers = { "Content-Disposition": `attachment;filename=${result.query}.${extension}` };
  if (format === "json" && shape !== "flat")
    return { ...jsonAnswer(formatClassicCells(result, shape === "full")), headers };
  return { status: 200, type: types[format], headers, body: [formatClassic(result, format, padding)] };
}

/** The rows of a report; a report that fails has none where that is to be ignored. */
async function run({ setting, objects, search }: ClassicCall, name: string): Promise<ClassicResult> {
  await using opened = await setting.openStore();
  try {
    const rows = (source: string) => readClassicRows(opened, source);
    return await runClassicReport({ objects, rows, now: setting.now(), temporary: tmpdir() }, name);
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    const query = objects.queries.get(objects.reports.get(name)?.query ?? "");
    if (search.get("ignore_failed") !== "true" || query === undefined)
      throw new HttpError(500, `report is in failed state, reason: GenerateReportFailed, message: ${message}`, {
        cause,
      });
    return {
      query: query.name,
      columns: query.columns,
      rows: [],
      lastReportTime: 0,
      rendered: undefined,
      waiting: undefined,
    };
  }
}

async function readObject(call: ClassicCall): Promise<{ readonly [name: string]: unknown }> {
  const text = await call.body();
  if (text.trim() === "") return {};
  const value = parse(text);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new HttpError(400, "the body must be a JSON object");
  return { ...value };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HttpError(400, "unable to decode the body as JSON", { cause });
  }
}

function timeOf(value: unknown, name: string): number | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  const time = typeof value === "string" ? parseInstant(value) : undefined;
  if (time === undefined) throw new HttpError(400, `${name} ${JSON.stringify(value)} is not a time of RFC 3339`);
  return time;
}

async function renderQuery(
  call: ClassicCall,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<Answer> {
  const { inputs, start, end } = await readObject(call);
  const given = Array.isArray(inputs)
    ? (inputs as readonly { readonly name?: unknown; readonly value?: unknown }[])
    : [];
  if (!call.objects.queries.has(name)) throw new HttpError(404, `ReportQuery ${JSON.stringify(name)} not found`);
  const rendered = renderClassicQuery(call.objects, {
    name,
    namespace,
    inputs: given.map((input) => ({ name: typeof input.name === "string" ? input.name : "", value: input.value })),
    start: timeOf(start, "start"),
    end: timeOf(end, "end"),
  });
  return { status: 200, type: "text/plain; charset=utf-8", body: [rendered] };
}

type Importer = ClassicDataSource & { readonly type: "rows" };

/** Imports from Prometheus: one source if it is named, else all. */
async function collect(call: ClassicCall, only: string | undefined): Promise<Answer> {
  needPost(call);
  const { objects, setting, user } = call;
  const { startTime, endTime } = await readObject(call);
  const [from, to] = [timeOf(startTime, "startTime"), timeOf(endTime, "endTime")];
  if (from === undefined || to === undefined || to <= from)
    throw new HttpError(400, "startTime and endTime are required, the end after the start");
  if (only !== undefined && !objects.dataSources.has(only))
    throw new HttpError(404, `ReportDataSource ${JSON.stringify(only)} not found`);
  const sources = [...objects.dataSources.values()].filter(
    (source): source is Importer =>
      source.type === "rows" && source.importer !== undefined && (only === undefined || source.name === only),
  );
  const results: object[] = [];
  for (const source of sources) {
    const inputs = collectClassicRows(source, { from, to, pause: (wait) => setTimeout(wait) });
    await using opened = await setting.openWriter();
    const result = await importClassicRows(inputs, {
      store: opened,
      dataSource: source.name,
      now: setting.now(),
      batch: 50_000,
    });
    setting.metrics.imported(result);
    await setting.audit(user, importHappenings(result));
    results.push({ reportDataSource: source.name, metricsImportedCount: result.stored });
  }
  return jsonAnswer({ results });
}

function needPost({ method }: ClassicCall): void {
  if (method !== "POST") throw new HttpError(405, `${method} is not possible here; use POST`);
}

async function store(call: ClassicCall, name: string): Promise<Answer> {
  needPost(call);
  const parsed = parse(await call.body());
  if (!Array.isArray(parsed)) throw new HttpError(400, "the body must be a JSON array of rows");
  const rows: readonly unknown[] = parsed;
  async function* inputs() {
    for (const [at, value] of rows.entries()) yield { where: `body:${at + 1}`, value };
  }
  const { setting, user } = call;
  await using opened = await setting.openWriter();
  const result = await importClassicRows(inputs(), {
    store: opened,
    dataSource: name,
    now: setting.now(),
    batch: 50_000,
  });
  setting.metrics.imported(result);
  await setting.audit(user, importHappenings(result));
  const [problem] = result.problems;
  if (problem !== undefined && problem.reason !== "Conflict")
    throw new HttpError(400, `${problem.where}: ${problem.message}`);
  return jsonAnswer({});
}

async function fetchRows(call: ClassicCall, name: string): Promise<Answer> {
  const start = timeOf(call.search.get("start"), "start") ?? Number.NEGATIVE_INFINITY;
  const end = timeOf(call.search.get("end"), "end") ?? Number.POSITIVE_INFINITY;
  await using opened = await call.setting.openStore();
  const found: { readonly at: number; readonly row: object }[] = [];
  for await (const rows of readClassicRows(opened, name))
    for (const { labels, amount, precision, at } of rows) {
      if (at < start || at > end) continue;
      const timestamp = goTime(at);
      const stepSize = Math.round(Number(precision) * 1e9);
      found.push({ at, row: { labels, amount: Number(amount), stepSize, timestamp, dt: timestamp.slice(0, 10) } });
    }
  return jsonAnswer(found.sort((a, b) => a.at - b.at).map(({ row }) => row));
}

/** A time as Go prints it in JSON: without zeros behind the last digit of the fraction. */
function goTime(at: number): string {
  const text = new Date(at).toISOString().slice(0, -1);
  let end = text.length;
  while (text[end - 1] === "0" && text.slice(19, end) !== "") end -= 1;
  return `${text.slice(0, text[end - 1] === "." ? end - 1 : end)}Z`;
}
