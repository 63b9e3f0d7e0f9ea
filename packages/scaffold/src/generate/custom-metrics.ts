/** Metrics of an operator's own, as people list them for kubebuilder's Grafana plugin. */
import { parse } from "yaml";
import { ScaffoldError } from "../errors.ts";

/** One metric to be shown. */
export interface CustomMetric {
  readonly metric: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** What to show, where it is not what the type suggests. */
  readonly expr?: string;
  /** Grafana's name of the unit. */
  readonly unit?: string;
}

const types: readonly unknown[] = ["counter", "gauge", "histogram"] satisfies CustomMetric["type"][];

/** Reads a list: `customMetrics: [{ metric, type, expr?, unit? }]`. */
export function parseCustomMetrics(text: string, file: string): readonly CustomMetric[] {
  const read = readYaml(text, file) as { readonly customMetrics?: unknown } | null;
  const list = read?.customMetrics;
  if (!Array.isArray(list)) throw new ScaffoldError("BadFile", `${file} has no list called customMetrics`);
  return list.map((entry: unknown, at) => check(entry, `customMetrics[${at}] of ${file}`));
}

function readYaml(text: string, file: string): unknown {
  try {
    return parse(text) as unknown;
  } catch (cause) {
    const why = cause instanceof Error ? (cause.message.split("\n", 1)[0] ?? "") : "";
    throw new ScaffoldError("BadFile", `cannot read ${file}: it is no YAML (${why})`, { cause });
  }
}

function check(entry: unknown, where: string): CustomMetric {
  const { metric, type, expr, unit } = (entry ?? {}) as { readonly [field: string]: unknown };
  if (typeof metric !== "string" || !/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(metric))
    throw new ScaffoldError("BadFile", `${where} names no metric: write \`metric: my_things_total\``);
  if (!types.includes(type))
    throw new ScaffoldError(
      "BadFile",
      `${where} must have the type counter, gauge or histogram, not ${JSON.stringify(type)}`,
    );
  return {
    metric,
    // It is one of them.
    type: type as CustomMetric["type"],
    ...(typeof expr === "string" && expr !== "" ? { expr } : {}),
    ...(typeof unit === "string" && unit !== "" ? { unit } : {}),
  };
}
