/** Prometheus metrics: counters, gauges and histograms, and their text format. */

/** Labels of one series. */
export interface Labels {
  readonly [name: string]: string;
}

/** The name, help text and labels of a metric. */
export interface MetricHead {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly string[];
}

/** A value that only grows. */
export interface Counter {
  add(labels: Labels, amount?: number): void;
}

/** A value that rises and falls. */
export interface Gauge {
  set(labels: Labels, value: number): void;
  /** Drops a series. */
  remove(labels: Labels): void;
}

/** A distribution of values. */
export interface Histogram {
  observe(labels: Labels, value: number): void;
}

interface Metric {
  readonly head: MetricHead;
  readonly type: "counter" | "gauge" | "histogram";
  lines(): Iterable<string>;
}

/** The metrics of one operator. */
export class Registry {
  readonly #metrics = new Map<string, Metric>();
  readonly #beforeText: (() => void)[] = [];

  has(name: string): boolean {
    return this.#metrics.has(name);
  }

  counter(head: MetricHead): Counter {
    const series = new Series(head);
    this.#metrics.set(head.name, { head, type: "counter", lines: () => series.lines() });
    return { add: (labels, amount = 1) => series.add(labels, amount) };
  }

  gauge(head: MetricHead): Gauge {
    const series = new Series(head);
    this.#metrics.set(head.name, { head, type: "gauge", lines: () => series.lines() });
    return { set: (labels, value) => series.set(labels, value), remove: (labels) => series.remove(labels) };
  }

  histogram(head: MetricHead, buckets: readonly number[]): Histogram {
    const series = new Buckets(head, buckets);
    this.#metrics.set(head.name, { head, type: "histogram", lines: () => series.lines() });
    return series;
  }

  /** Registers a function that updates gauges before a scrape. */
  onRead(update: () => void): void {
    this.#beforeText.push(update);
  }

  /** The text exposition format, version 0.0.4. */
  text(): string {
    for (const update of this.#beforeText) update();
    const lines: string[] = [];
    for (const metric of this.#metrics.values()) {
      const { name, help } = metric.head;
      lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${metric.type}`, ...metric.lines());
    }
    return `${lines.join("\n")}\n`;
  }
}

/** Values by labels. */
class Series {
  readonly #head: MetricHead;
  readonly #texts = new WeakMap<Labels, string>();
  readonly #values = new Map<string, number>();

  constructor(head: MetricHead) {
    this.#head = head;
  }

  add(labels: Labels, amount: number): void {
    const id = this.#textOf(labels);
    this.#values.set(id, (this.#values.get(id) ?? 0) + amount);
  }

  set(labels: Labels, value: number): void {
    this.#values.set(this.#textOf(labels), value);
  }

  remove(labels: Labels): void {
    this.#values.delete(this.#textOf(labels));
  }

  /** Frequent callers pass the same labels object: its text is cached. */
  #textOf(labels: Labels): string {
    let text = this.#texts.get(labels);
    if (text === undefined) this.#texts.set(labels, (text = labelText(this.#head, labels)));
    return text;
  }

  *lines(): Generator<string> {
    for (const [id, value] of this.#values) yield `${this.#head.name}${id === "" ? "" : `{${id}}`} ${value}`;
  }
}

interface BucketSeries {
  readonly counts: number[];
  sum: number;
  count: number;
}

class Buckets implements Histogram {
  readonly #head: MetricHead;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, BucketSeries>();
  readonly #byLabels = new WeakMap<Labels, BucketSeries>();

  constructor(head: MetricHead, bounds: readonly number[]) {
    this.#head = head;
    this.#bounds = bounds;
  }

  observe(labels: Labels, value: number): void {
    const series = this.#seriesOf(labels);
    series.sum += value;
    series.count++;
    const at = this.#bounds.findIndex((bound) => value <= bound);
    if (at >= 0) series.counts[at] = (series.counts[at] ?? 0) + 1;
  }

  #seriesOf(labels: Labels): BucketSeries {
    const known = this.#byLabels.get(labels);
    if (known !== undefined) return known;
    const id = labelText(this.#head, labels);
    const series = this.#series.get(id) ?? { counts: this.#bounds.map(() => 0), sum: 0, count: 0 };
    this.#series.set(id, series);
    this.#byLabels.set(labels, series);
    return series;
  }

  *lines(): Generator<string> {
    const { name } = this.#head;
    for (const [id, { counts, sum, count }] of this.#series) {
      const comma = id === "" ? "" : `${id},`;
      let total = 0;
      for (const [at, bound] of this.#bounds.entries()) {
        total += counts[at] ?? 0;
        yield `${name}_bucket{${comma}le="${bound}"} ${total}`;
      }
      yield `${name}_bucket{${comma}le="+Inf"} ${count}`;
      yield `${name}_sum${id === "" ? "" : `{${id}}`} ${sum}`;
      yield `${name}_count${id === "" ? "" : `{${id}}`} ${count}`;
    }
  }
}

function labelText({ labels: names }: MetricHead, labels: Labels): string {
  let text = "";
  for (const name of names) text += `${text === "" ? "" : ","}${name}="${escape(labels[name] ?? "")}"`;
  return text;
}

function escape(value: string): string {
  return /["\\\n]/u.test(value) ? value.replace(/\\/gu, "\\\\").replace(/"/gu, '\\"').replace(/\n/gu, "\\n") : value;
}
