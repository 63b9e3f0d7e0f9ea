/** Resolves the inputs of queries: values, defaults, and the objects that they name, depth first. */
import { MeterError } from "../error.ts";
import type { ClassicObjects, InputDefinition } from "./objects.ts";

/** What a query needs before it runs. */
export interface Resolved {
  readonly values: { readonly [name: string]: unknown };
  readonly dataSources: ReadonlySet<string>;
  readonly reports: ReadonlySet<string>;
  readonly queries: ReadonlySet<string>;
}

/** A given value. */
export interface GivenInput {
  readonly name: string;
  readonly value: unknown;
}

/** Deeper references are a cycle. */
const deepest = 50;

interface Resolution {
  readonly objects: ClassicObjects;
  readonly values: { [name: string]: unknown };
  readonly dataSources: Set<string>;
  readonly reports: Set<string>;
  readonly queries: Set<string>;
}

/** Resolves the inputs of a query. */
export function resolveInputs(
  objects: ClassicObjects,
  definitions: readonly InputDefinition[],
  given: readonly GivenInput[],
): Resolved {
  const into = {
    objects,
    values: {},
    dataSources: new Set<string>(),
    reports: new Set<string>(),
    queries: new Set<string>(),
  };
  resolve(definitions, given, { into, depth: 0 });
  return into;
}

interface Place {
  readonly into: Resolution;
  readonly depth: number;
}

function resolve(definitions: readonly InputDefinition[], given: readonly GivenInput[], { into, depth }: Place): void {
  if (depth >= deepest) throw new MeterError("BadInput", `detected a cycle at depth ${depth}`);
  const names = definitions.map(({ name }) => name);
  for (const { name } of given) {
    if (names.includes(name)) continue;
    throw new MeterError("BadInput", `invalid input ${JSON.stringify(name)}, supported inputs: ${names.join(", ")}`);
  }
  const values = new Map(given.map(({ name, value }) => [name, value]));
  for (const definition of definitions) {
    const { name } = definition;
    if (Object.hasOwn(into.values, name)) continue;
    const value = values.get(name) ?? definition.default;
    if (value === undefined || value === null) continue;
    into.values[name] = typed(definition, value, { into, depth: depth + 1 });
  }
}

function typed({ name, type }: InputDefinition, value: unknown, place: Place): unknown {
  const wrong = (): MeterError =>
    new MeterError("BadInput", `inputs Name: ${name} is not valid a '${type}': value: '${JSON.stringify(value)}'`);
  const text = (): string => {
    if (typeof value !== "string") throw wrong();
    return value;
  };
  switch (name === "ReportingStart" || name === "ReportingEnd" ? "time" : type) {
    case "":
    case "string":
      return text();
    case "time": {
      const time = new Date(text());
      if (Number.isNaN(time.getTime())) throw wrong();
      return time;
    }
    case "int":
    case "integer":
      if (typeof value !== "number" || !Number.isInteger(value)) throw wrong();
      return value;
    case "reportdatasource":
      useDataSource(text(), place);
      return text();
    case "reportquery":
      useQuery(text(), place);
      return text();
    case "report":
      useReport(text(), place);
      return text();
    default:
      throw new MeterError("BadInput", `unsupported input type ${type}`);
  }
}

function useDataSource(name: string, place: Place): void {
  const { objects, dataSources } = place.into;
  if (dataSources.has(name)) return;
  const found = objects.dataSources.get(name);
  if (found === undefined) throw missing("ReportDataSource", name);
  if (found.type === "view") useQuery(found.query, place);
  dataSources.add(name);
}

function useQuery(name: string, { into, depth }: Place): void {
  if (into.queries.has(name)) return;
  const found = into.objects.queries.get(name);
  if (found === undefined) throw missing("ReportQuery", name);
  // A query that is named has its own defaults; the values of the one that names it are not passed down.
  resolve(found.inputs, [], { into, depth });
  into.queries.add(name);
}

function useReport(name: string, place: Place): void {
  const { objects, reports } = place.into;
  if (reports.has(name)) return;
  const found = objects.reports.get(name);
  if (found === undefined) throw missing("Report", name);
  useQuery(found.query, place);
  reports.add(name);
}

/** An object that is named and does not exist. */
export function missing(kind: string, name: string): MeterError {
  return new MeterError("BadInput", `${kind} ${JSON.stringify(name)} not found; give its file with -f`);
}
