/** An operator's own metrics, declared as values and measured through the context of a reconcile: `metric(members).set({ cluster }, 3)`. */
import { RuntimeError } from "../errors.ts";
import type { Counter, Gauge, Histogram, MetricHead, Registry } from "./registry.ts";

/** Values for each declared label. */
type LabelsOf<L extends string> = { readonly [name in L]: string };

/** The methods of a metric, by its type. */
interface Meters<L extends string> {
  readonly counter: { add(labels: LabelsOf<L>, amount?: number): void };
  readonly gauge: {
    set(labels: LabelsOf<L>, value: number): void;
    /** Drops a series, for instance when its object is gone. */
    remove(labels: LabelsOf<L>): void;
  };
  readonly histogram: { observe(labels: LabelsOf<L>, value: number): void };
}

/** The type of a metric. */
export type MetricType = keyof Meters<string>;

/**
 * A declared metric.
 *
 * @example
 * const members: Metric<"gauge", "cluster"> = gauge("members", "Members of a cluster", ["cluster"]);
 */
export interface Metric<T extends MetricType = MetricType, L extends string = string> extends MetricHead {
  readonly type: T;
  readonly labels: readonly L[];
  /** The upper bounds of the buckets of a histogram. */
  readonly buckets: readonly number[];
}

/** The meter of a metric in one operator. */
export type Meter<T extends MetricType, L extends string> = Meters<L>[T];

/** Returns the meter of a metric. */
export type MetricOf = <T extends MetricType, L extends string>(metric: Metric<T, L>) => Meter<T, L>;

/**
 * A number that rises and falls: `gauge("etcd_members", "Members of a cluster", ["cluster"])`.
 *
 * @example
 * const servers = gauge("memcached_servers", "Servers that answer", ["name"]);
 * controller(Memcached, {}, ({ object, metric }) => metric(servers).set({ name: object.metadata.name }, 3));
 */
export function gauge<const L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): Metric<"gauge", L> {
  return declare({ type: "gauge", name, help, labels, buckets: [] });
}

/**
 * A number that only grows.
 *
 * @example
 * const restarts = counter("memcached_restarts_total", "Restarts that the operator asked for", ["name"]);
 * controller(Memcached, {}, ({ object, metric }) => metric(restarts).add({ name: object.metadata.name }));
 */
export function counter<const L extends string = never>(
  name: string,
  help: string,
  labels: readonly L[] = [],
): Metric<"counter", L> {
  return declare({ type: "counter", name, help, labels, buckets: [] });
}

/**
 * A distribution of values over buckets.
 *
 * @example
 * const latency = histogram("memcached_latency_seconds", "Time of a request", { labels: ["name"], buckets: [0.001, 0.01, 0.1] });
 * controller(Memcached, {}, ({ object, metric }) => metric(latency).observe({ name: object.metadata.name }, 0.004));
 */
export function histogram<const L extends string = never>(
  name: string,
  help: string,
  { labels = [], buckets }: { readonly labels?: readonly L[]; readonly buckets: readonly number[] },
): Metric<"histogram", L> {
  return declare({ type: "histogram", name, help, labels, buckets: buckets.toSorted((a, b) => a - b) });
}

function declare<M extends Metric>(metric: M): M {
  for (const name of [metric.name, ...metric.labels]) {
    if (/^[a-zA-Z_][a-zA-Z0-9_]*$/u.test(name)) continue;
    throw new RuntimeError(
      "BadSetting",
      `Cannot call a metric or a label "${name}": use letters, digits and underscores, as in etcd_members.`,
    );
  }
  return Object.freeze(metric);
}

/** The meters of a registry, created on first use. */
export function metersIn(registry: Registry): MetricOf {
  const known = new Map<Metric, Counter | Gauge | Histogram>();
  const make = (metric: Metric): Counter | Gauge | Histogram => {
    if (registry.has(metric.name)) {
      throw new RuntimeError("BadSetting", `There is a metric ${metric.name} already: give yours another name.`);
    }
    return metric.type === "histogram" ? registry.histogram(metric, metric.buckets) : registry[metric.type](metric);
  };
  return <T extends MetricType, L extends string>(metric: Metric<T, L>): Meter<T, L> => {
    const meter = known.get(metric) ?? make(metric);
    known.set(metric, meter);
    // Each type of metric was made with its own kind of meter.
    return meter as unknown as Meter<T, L>;
  };
}
