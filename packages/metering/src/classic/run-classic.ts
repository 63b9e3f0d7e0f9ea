/** Runs classic reports without a cluster: period by period, with the reports and data sources that they read. */
import { MeterError } from "../error.ts";
import { openEngine } from "../store/engine.ts";
import { ClassicEngine, type ClassicResultRow, tableOf } from "./classic-engine.ts";
import { missing, type Resolved, resolveInputs } from "./inputs.ts";
import type { ClassicColumn, ClassicObjects, ClassicQuery, ClassicReport } from "./objects.ts";
import type { ClassicRow } from "./rows.ts";
import { nextTick } from "./schedule.ts";
import { templateFunctions } from "./template-functions.ts";
import { parseTemplate } from "./template-parse.ts";
import { renderTemplate } from "./template-render.ts";

/** What a run needs. */
export interface ClassicRun {
  readonly objects: ClassicObjects;
  /** The imported rows of a data source. */
  readonly rows: (dataSource: string) => AsyncIterable<readonly ClassicRow[]>;
  readonly now: number;
  /** A folder for what does not fit into memory. */
  readonly temporary: string;
}

/** The rows of a report, and what it says about itself. */
export interface ClassicResult {
  readonly query: string;
  readonly columns: readonly ClassicColumn[];
  readonly rows: readonly ClassicResultRow[];
  /** The end of the last period that ran; absent if none did. */
  readonly lastReportTime: number | undefined;
  /** The last rendered query. */
  readonly rendered: string | undefined;
  /** Why no further period ran; absent for a finished report. */
  readonly waiting: { readonly reason: string; readonly message: string } | undefined;
}

/** More periods than these are a mistake in the schedule. */
const mostPeriods = 100_000;

/** Runs a report and those that it reads. */
export async function runClassicReport(run: ClassicRun, name: string): Promise<ClassicResult> {
  using engine = new ClassicEngine(await openEngine({ temporary: run.temporary }));
  await engine.prepare();
  await engine.lock();
  const runner = new Runner(run, engine);
  const report = run.objects.reports.get(name);
  if (report === undefined) throw missing("Report", name);
  const state = await runner.report(report);
  const query = runner.queryOf(report.query);
  const rows = await engine.rows(tableOf("report", report.namespace, report.name), query.columns);
  return { query: query.name, columns: query.columns, rows, ...state };
}

interface Ran {
  readonly lastReportTime: number | undefined;
  readonly rendered: string | undefined;
  readonly waiting: ClassicResult["waiting"];
}

class Runner {
  readonly #run: ClassicRun;
  readonly #engine: ClassicEngine;
  readonly #reports = new Map<string, Ran>();
  readonly #running = new Set<string>();
  readonly #tables = new Set<string>();

  constructor(run: ClassicRun, engine: ClassicEngine) {
    this.#run = run;
    this.#engine = engine;
  }

  queryOf(name: string): ClassicQuery {
    const query = this.#run.objects.queries.get(name);
    if (query === undefined) throw missing("ReportQuery", name);
    return query;
  }

  async report(report: ClassicReport): Promise<Ran> {
    const known = this.#reports.get(report.name);
    if (known !== undefined) return known;
    if (this.#running.has(report.name))
      throw new MeterError("BadInput", `the Report ${report.name} reads itself: ${[...this.#running].join(" -> ")}`);
    this.#running.add(report.name);
    const query = this.queryOf(report.query);
    const resolved = resolveInputs(this.#run.objects, query.inputs, report.inputs);
    checkReport(report);
    await this.#prepare(resolved, report.namespace);
    const table = tableOf("report", report.namespace, report.name);
    await this.#engine.createTable(table, query.columns);
    const ran = await this.#periods(report, { query, resolved, table });
    this.#running.delete(report.name);
    this.#reports.set(report.name, ran);
    return ran;
  }

  /** Makes what the query reads. */
  async #prepare(resolved: Resolved, namespace: string): Promise<void> {
    for (const name of [...resolved.reports].sort()) {
      const report = this.#run.objects.reports.get(name);
      if (report !== undefined) await this.report(report);
    }
    for (const name of resolved.dataSources) await this.#dataSource(name, namespace);
  }

  async #dataSource(name: string, namespace: string): Promise<void> {
    const { objects, rows } = this.#run;
    const table = tableOf("datasource", namespace, name);
    const source = objects.dataSources.get(name);
    if (source === undefined) throw missing("ReportDataSource", name);
    if (this.#tables.has(table)) return;
    this.#tables.add(table);
    if (source.type === "rows") return this.#engine.createRows(table, rows(name));
    if (source.type === "table") {
      const linked = objects.tables.get(source.table);
      return linked?.query === undefined
        ? this.#engine.createRows(table, rows(name))
        : this.#engine.createView(table, linked.query);
    }
    const query = this.queryOf(source.query);
    const resolved = resolveInputs(objects, query.inputs, source.inputs);
    await this.#prepare(resolved, namespace);
    const times = { start: undefined, end: undefined };
    await this.#engine.createView(table, render(query, { objects, namespace, resolved, ...times }));
  }

  async #periods(
    report: ClassicReport,
    { query, resolved, table }: { readonly query: ClassicQuery; readonly resolved: Resolved; readonly table: string },
  ): Promise<Ran> {
    let lastReportTime: number | undefined;
    let rendered: string | undefined;
    for (let count = 0; count < mostPeriods; count += 1) {
      const period = nextPeriod(report, { last: lastReportTime, now: this.#run.now });
      if (period === undefined) return { lastReportTime, rendered, waiting: undefined };
      const waiting = this.#waitsFor(report, { period, resolved, isFirst: lastReportTime === undefined });
      if (waiting !== undefined) return { lastReportTime, rendered, waiting };
      const { objects } = this.#run;
      rendered = render(query, { objects, namespace: report.namespace, resolved, ...period });
      if (report.overwriteExistingData) await this.#engine.clear(table);
      await this.#engine.insert(table, rendered);
      lastReportTime = period.end;
    }
    throw new MeterError(
      "Limit",
      `the Report ${report.name} has more than ${mostPeriods} periods; give a later reportingStart`,
    );
  }

  /** Why a period cannot run yet. */
  #waitsFor(
    report: ClassicReport,
    { period, resolved, isFirst }: { readonly period: Period; readonly resolved: Resolved; readonly isFirst: boolean },
  ): ClassicResult["waiting"] {
    if (report.runImmediately && isFirst) return undefined;
    const end = new Date(period.end).toISOString();
    if (period.end > this.#run.now)
      return { reason: "ReportingPeriodWaiting", message: `the reporting period ends at ${end}` };
    // A report that never ran covers nothing.
    const behind = [...resolved.reports].filter((name) => (this.#reports.get(name)?.lastReportTime ?? 0) < period.end);
    return behind.length === 0
      ? undefined
      : {
          reason: "ReportingPeriodUnmetDependencies",
          message: `Reports that have not run up to ${end}: ${behind.sort().join(", ")}`,
        };
  }
}

interface Period {
  readonly start: number;
  readonly end: number;
}

function checkReport({ name, schedule, start, end, runImmediately }: ClassicReport): void {
  const wrong = (message: string): MeterError => new MeterError("BadInput", `InvalidReport: ${name}: ${message}`);
  if (start !== undefined && end !== undefined && end <= start)
    throw wrong("spec.reportingEnd must be after spec.reportingStart");
  if (runImmediately && end === undefined) throw wrong("spec.reportingEnd must be set if spec.runImmediately is true");
  if (schedule === undefined && (start === undefined || end === undefined))
    throw wrong("run-once reports must have both reportingEnd and reportingStart");
}

/** The next period of a report; undefined after its end. */
function nextPeriod(
  { schedule, start, end, created }: ClassicReport,
  { last, now }: { readonly last: number | undefined; readonly now: number },
): Period | undefined {
  if (schedule === undefined)
    return last === undefined && start !== undefined && end !== undefined ? { start, end } : undefined;
  // Without a start: the first full period after the creation.
  const from = last ?? start ?? nextTick(schedule, created ?? now);
  if (end !== undefined && from >= end) return undefined;
  const tick = nextTick(schedule, from);
  return { start: from, end: end === undefined ? tick : Math.min(tick, end) };
}

/** A query that is rendered without a report. */
export interface RenderRequest {
  readonly name: string;
  readonly namespace: string;
  readonly inputs: readonly { readonly name: string; readonly value: unknown }[];
  readonly start: number | undefined;
  readonly end: number | undefined;
}

/** The SQL of a query as a report would run it. */
export function renderClassicQuery(
  objects: ClassicObjects,
  { name, namespace, inputs, start, end }: RenderRequest,
): string {
  const query = objects.queries.get(name);
  if (query === undefined) throw missing("ReportQuery", name);
  return render(query, { objects, namespace, resolved: resolveInputs(objects, query.inputs, inputs), start, end });
}

interface Rendering {
  readonly objects: ClassicObjects;
  readonly namespace: string;
  readonly resolved: Resolved;
  readonly start: number | undefined;
  readonly end: number | undefined;
}

function render(query: ClassicQuery, { objects, namespace, resolved, ...times }: Rendering): string {
  const required = query.inputs.filter(({ required: is }) => is).map(({ name }) => name);
  const absent = required.filter((name) => !Object.hasOwn(resolved.values, name));
  if (absent.length > 0) throw new MeterError("BadInput", `missing inputs: ${absent.sort().join(", ")}`);
  const time = (value: number | undefined): Date | undefined => (value === undefined ? undefined : new Date(value));
  const dot = {
    Report: { ReportingStart: time(times.start), ReportingEnd: time(times.end), Inputs: resolved.values },
  };
  const functions = {
    ...templateFunctions,
    dataSourceTableName: (name: unknown) => {
      if (typeof name === "string" && resolved.dataSources.has(name)) return tableOf("datasource", namespace, name);
      throw new MeterError("BadInput", `ReportDataSource ${String(name)} dependency not found`);
    },
    reportTableName: (name: unknown) => {
      if (typeof name === "string" && resolved.reports.has(name))
        return tableOf("report", objects.reports.get(name)?.namespace ?? namespace, name);
      throw new MeterError("BadInput", `Report ${String(name)} dependency not found`);
    },
    renderReportQuery: (name: unknown) => {
      const inner = typeof name === "string" ? objects.queries.get(name) : undefined;
      if (inner === undefined) throw new MeterError("BadInput", `unknown ReportQuery ${String(name)}`);
      return render(inner, { objects, namespace, resolved, ...times });
    },
  };
  return renderTemplate(parseTemplate(query.query), dot, functions);
}
