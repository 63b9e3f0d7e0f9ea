/** Reads the meters of a book. */
import { MeterError } from "../error.ts";
import { parseDuration } from "../time/instant.ts";
import type { Meter, ObjectSource, PrometheusSource } from "./book.ts";
import { builtInMeters } from "./built-in.ts";
import { compileExpression } from "./expression.ts";
import type { Field } from "./field.ts";

const fields = ["name", "type", "unit", "objects", "prometheus", "aggregate", "unique", "dimensions", "hash"];

/** Reads all meters. */
export function readMeters(field: Field): ReadonlyMap<string, Meter> {
  const meters = new Map<string, Meter>();
  for (const item of field.items()) {
    const meter = readMeter(item);
    if (meters.has(meter.name)) throw item.member("name").refuse(`the meter ${meter.name} occurs twice`);
    meters.set(meter.name, meter);
  }
  return meters;
}

function readMeter(item: Field): Meter {
  item.only(fields);
  const name = item.member("name").text();
  if (!/^[a-z][a-z0-9.-]*$/.test(name))
    throw item
      .member("name")
      .refuse(`${JSON.stringify(name)} is not a name; use small letters, digits, dots and dashes`);
  const base = builtInMeters.get(name);
  const objects = item.member("objects").isAbsent ? undefined : readObjects(item.member("objects"));
  const prometheus = item.member("prometheus").isAbsent ? undefined : readPrometheus(item.member("prometheus"));
  const isBuiltIn = base !== undefined && objects === undefined && prometheus === undefined;
  const type = item.member("type").choice(["level", "counter", "event"], base?.type);
  checkSources(item, type);
  const meter = {
    name,
    type,
    unit: item.member("unit").isAbsent && base !== undefined ? base.unit : item.member("unit").text(),
    ...readAggregate(item, type),
    ...(objects !== undefined && { objects }),
    ...(prometheus !== undefined && { prometheus }),
    dimensions: readDimensions(item, [objects?.dimensions, prometheus?.dimensions]),
    hash: readNames(item.member("hash")),
  };
  return isBuiltIn ? withRules(meter, base) : meter;
}

/** A meter of a built-in name without a source of its own. */
function withRules(meter: Meter, base: Meter): Meter {
  if (meter.type !== base.type) return meter;
  return {
    ...meter,
    ...(base.objects !== undefined && { objects: base.objects, builtIn: true }),
    dimensions: [...new Set([...base.dimensions, ...meter.dimensions])],
  };
}

function readDimensions(item: Field, sources: readonly (PrometheusSource["dimensions"] | undefined)[]): string[] {
  const unique = item.member("unique").optionalText();
  return [
    ...new Set([
      ...sources.flatMap((source) => Object.keys(source ?? {})),
      ...readNames(item.member("dimensions")),
      ...(unique === undefined ? [] : [unique]),
    ]),
  ];
}

function readAggregate(item: Field, type: Meter["type"]): Pick<Meter, "aggregate"> & { readonly unique?: string } {
  const unique = item.member("unique").optionalText();
  const field = item.member("aggregate");
  const aggregate = field.choice(["sum", "count", "max", "last", "unique"], "sum");
  if (aggregate !== "sum" && type !== "event") throw field.refuse(`${aggregate} is for meters of type event`);
  if (aggregate === "unique" && unique === undefined)
    throw item.member("unique").refuse("is required: the dimension to count");
  if (aggregate !== "unique" && unique !== undefined) throw item.member("unique").refuse("is for aggregate: unique");
  return { aggregate, ...(unique !== undefined && { unique }) };
}

function checkSources(item: Field, type: Meter["type"]): void {
  const [objects, prometheus] = [item.member("objects"), item.member("prometheus")];
  if (!objects.isAbsent && !prometheus.isAbsent)
    throw prometheus.refuse("a meter has one source: objects or prometheus");
  if (!objects.isAbsent && type !== "level") throw objects.refuse("objects are metered by meters of type level");
  if (!prometheus.isAbsent && type === "event") throw prometheus.refuse("prometheus is metered as level or counter");
}

function readNames(field: Field): string[] {
  if (field.isAbsent) return [];
  return Array.isArray(field.value) ? field.items().map((item) => item.text()) : Object.keys(field.strings());
}

function readObjects(field: Field): ObjectSource {
  field.only(["apiVersion", "kind", "value", "when", "dimensions"]);
  const value = field.member("value");
  const when = field.member("when");
  const source = { value: typeof value.value === "number" ? String(value.value) : value.text() };
  compileField(value, source.value);
  const condition = typeof when.value === "boolean" ? String(when.value) : when.optionalText();
  if (condition !== undefined) compileField(when, condition);
  for (const [, dimension] of field.member("dimensions").entries()) compileField(dimension, dimension.text());
  return {
    apiVersion: field.member("apiVersion").text(),
    kind: field.member("kind").text(),
    ...source,
    ...(condition !== undefined && { when: condition }),
    dimensions: field.member("dimensions").strings(),
  };
}

function compileField(field: Field, expression: string): void {
  try {
    compileExpression(expression);
  } catch (error) {
    if (error instanceof MeterError) throw field.refuse(error.message);
    throw error;
  }
}

function readPrometheus(field: Field): PrometheusSource {
  field.only(["query", "step", "dimensions", "replicaLabels", "startsAtZero", "url"]);
  const stepText = field.member("step").optionalText() ?? "60s";
  const step = parseDuration(stepText);
  if (step === undefined || step === 0)
    throw field.member("step").refuse(`${JSON.stringify(stepText)} is not a duration such as 60s`);
  const url = field.member("url").optionalText();
  return {
    query: field.member("query").text(),
    step,
    dimensions: field.member("dimensions").strings(),
    replicaLabels: field
      .member("replicaLabels")
      .items()
      .map((item) => item.text()),
    startsAtZero: field.member("startsAtZero").flag(false),
    ...(url !== undefined && { url }),
  };
}
