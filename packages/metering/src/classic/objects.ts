/** The classic kinds as they are in files: reports, queries, data sources and tables of `metering.openshift.io/v1`. */
import { parseAllDocuments } from "yaml";
import { MeterError } from "../error.ts";
import { parseDuration } from "../time/instant.ts";

/** A column of a query. */
export interface ClassicColumn {
  readonly name: string;
  readonly type: string;
  readonly unit: string;
  readonly tableHidden: boolean;
}

/** An input that a query declares. */
export interface InputDefinition {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
  readonly default: unknown;
}

/** A ReportQuery. */
export interface ClassicQuery {
  readonly name: string;
  readonly columns: readonly ClassicColumn[];
  readonly query: string;
  readonly inputs: readonly InputDefinition[];
}

/** When a report runs. */
export interface ClassicSchedule {
  readonly period: string;
  readonly cron: string | undefined;
  readonly at: {
    readonly second?: unknown;
    readonly minute?: unknown;
    readonly hour?: unknown;
    readonly dayOfWeek?: unknown;
    readonly dayOfMonth?: unknown;
  };
}

/** A Report. */
export interface ClassicReport {
  readonly name: string;
  readonly namespace: string;
  readonly query: string;
  readonly schedule: ClassicSchedule | undefined;
  readonly start: number | undefined;
  readonly end: number | undefined;
  readonly runImmediately: boolean;
  readonly overwriteExistingData: boolean;
  readonly inputs: readonly { readonly name: string; readonly value: unknown }[];
  readonly created: number | undefined;
}

/** What a data source reads from Prometheus. */
export interface ClassicImporter {
  readonly query: string;
  readonly url: string | undefined;
  /** Milliseconds. */
  readonly step: number;
}

/** A ReportDataSource: rows that are imported, a view, or a table. */
export type ClassicDataSource = { readonly name: string } & (
  | { readonly type: "rows"; readonly importer?: ClassicImporter }
  | {
      readonly type: "view";
      readonly query: string;
      readonly inputs: readonly { readonly name: string; readonly value: unknown }[];
    }
  | { readonly type: "table"; readonly table: string }
);

/** A PrestoTable with a query is a view. */
export interface ClassicTable {
  readonly name: string;
  readonly tableName: string;
  readonly query: string | undefined;
  readonly columns: readonly ClassicColumn[];
}

/** All objects by name. */
export interface ClassicObjects {
  readonly reports: Map<string, ClassicReport>;
  readonly queries: Map<string, ClassicQuery>;
  readonly dataSources: Map<string, ClassicDataSource>;
  readonly tables: Map<string, ClassicTable>;
}

type Fields = { readonly [name: string]: unknown };

function fields(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function text(value: unknown): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : "";
}

/** No objects. */
export function noObjects(): ClassicObjects {
  return { reports: new Map(), queries: new Map(), dataSources: new Map(), tables: new Map() };
}

/** Adds the objects of a file: YAML or JSON, several documents, lists. Returns the problems of those that are refused. */
export function addObjects(objects: ClassicObjects, source: string, name: string): void {
  for (const document of parseAllDocuments(source, { schema: "core" })) {
    const [error] = document.errors ?? [];
    if (error !== undefined) throw new MeterError("BadInput", `${name}: ${error.message}`);
    const value = fields(document.toJS());
    const items = text(value["kind"]).endsWith("List") ? list(value["items"]) : [value];
    for (const item of items) addObject(objects, fields(item), name);
  }
}

/** Kinds that are accepted without effect. */
const withoutEffect = new Set(["StorageLocation", "HiveTable", "MeteringConfig"]);

function addObject(objects: ClassicObjects, object: Fields, file: string): void {
  if (Object.keys(object).length === 0) return;
  const { kind, apiVersion } = object;
  if (!text(apiVersion).startsWith("metering.openshift.io/")) return;
  const { name: given, namespace, creationTimestamp } = fields(object["metadata"]);
  const name = text(given);
  const spec = fields(object["spec"]);
  const at = (message: string): MeterError =>
    new MeterError("BadInput", `${file}: ${text(kind)} ${name === "" ? "without a name" : name}: ${message}`);
  if (name === "") throw at("metadata.name is required");
  switch (kind) {
    case "Report":
      objects.reports.set(name, reportOf(name, { spec, namespace, creationTimestamp, at }));
      return;
    case "ReportQuery":
      objects.queries.set(name, queryOf(name, spec, at));
      return;
    case "ReportDataSource":
      objects.dataSources.set(name, dataSourceOf(name, spec, at));
      return;
    case "PrestoTable":
      objects.tables.set(name, {
        name,
        tableName: text(spec["tableName"]),
        query: text(spec["query"]) === "" ? undefined : text(spec["query"]),
        columns: columnsOf(spec["columns"]),
      });
      return;
    default:
      if (!withoutEffect.has(text(kind))) throw at(`the kind ${text(kind)} is not known`);
  }
}

interface ReportParts {
  readonly spec: Fields;
  readonly namespace: unknown;
  readonly creationTimestamp: unknown;
  readonly at: (message: string) => MeterError;
}

function reportOf(name: string, { spec, namespace, creationTimestamp, at }: ReportParts): ClassicReport {
  const time = (field: string): number | undefined => {
    const value = spec[field];
    if (value === undefined || value === null) return undefined;
    const found = Date.parse(text(value));
    if (Number.isNaN(found)) throw at(`spec.${field} ${JSON.stringify(value)} is not a time of RFC 3339`);
    return found;
  };
  const query = text(spec["query"]);
  if (query === "") throw at("spec.query is required: the name of a ReportQuery");
  const schedule = spec["schedule"] === undefined || spec["schedule"] === null ? undefined : fields(spec["schedule"]);
  const period = text(schedule?.["period"]);
  const created = Date.parse(text(creationTimestamp));
  return {
    name,
    namespace: text(namespace) === "" ? "default" : text(namespace),
    query,
    schedule:
      schedule === undefined
        ? undefined
        : {
            period,
            cron: text(fields(schedule["cron"])["expression"]),
            at: fields(schedule[period.toLowerCase()]),
          },
    start: time("reportingStart"),
    end: time("reportingEnd"),
    runImmediately: spec["runImmediately"] === true,
    overwriteExistingData: spec["overwriteExistingData"] === true,
    inputs: inputsOf(spec["inputs"]),
    created: Number.isNaN(created) ? undefined : created,
  };
}

function inputsOf(value: unknown): readonly { readonly name: string; readonly value: unknown }[] {
  return list(value).map((one) => ({ name: text(fields(one)["name"]), value: fields(one)["value"] }));
}

function columnsOf(value: unknown): readonly ClassicColumn[] {
  return list(value).map((one) => {
    const { name, type, unit, tableHidden } = fields(one);
    return { name: text(name), type: text(type), unit: text(unit), tableHidden: tableHidden === true };
  });
}

function queryOf(name: string, spec: Fields, at: ReportParts["at"]): ClassicQuery {
  const query = text(spec["query"]);
  const columns = columnsOf(spec["columns"]);
  if (query === "") throw at("spec.query is required");
  if (columns.length === 0) throw at("spec.columns is required");
  const inputs = list(spec["inputs"]).map((one) => {
    const { name: input, type, required, default: usual } = fields(one);
    return { name: text(input), type: text(type).toLowerCase(), required: required === true, default: usual };
  });
  return { name, columns, query, inputs };
}

function dataSourceOf(name: string, spec: Fields, at: ReportParts["at"]): ClassicDataSource {
  const sources = ["prometheusMetricsImporter", "awsBilling", "prestoTable", "linkExistingTable", "reportQueryView"];
  const given = sources.filter((source) => spec[source] !== undefined);
  if (given.length !== 1) throw at(`exactly one of ${sources.join(", ")} is required`);
  switch (given[0]) {
    case "reportQueryView": {
      const view = fields(spec["reportQueryView"]);
      return { name, type: "view", query: text(view["queryName"]), inputs: inputsOf(view["inputs"]) };
    }
    case "prestoTable":
      return { name, type: "table", table: text(fields(fields(spec["prestoTable"])["tableRef"])["name"]) };
    case "linkExistingTable":
      return { name, type: "table", table: text(fields(spec["linkExistingTable"])["tableName"]) };
    case "prometheusMetricsImporter":
      return { name, type: "rows", importer: importerOf(fields(spec["prometheusMetricsImporter"]), at) };
    default:
      return { name, type: "rows" };
  }
}

function importerOf(spec: Fields, at: ReportParts["at"]): ClassicImporter {
  const { queryConfig, prometheusConfig } = spec;
  const stepText = text(fields(queryConfig)["stepSize"]) || "60s";
  const step = parseDuration(stepText);
  if (step === undefined || step === 0)
    throw at(`spec.prometheusMetricsImporter.queryConfig.stepSize ${JSON.stringify(stepText)} is not a duration`);
  const url = text(fields(prometheusConfig)["url"]);
  return { query: text(spec["query"]), url: url === "" ? undefined : url, step };
}
