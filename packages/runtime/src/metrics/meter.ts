/** The metrics, under controller-runtime's exact names, so that existing dashboards and alerts work. */
import { RuntimeError } from "../errors.ts";
import type { Consequence } from "../reconcile/outcome.ts";
import type { ReconcileEnd } from "../reconcile/run.ts";
import type { Counter, Gauge, Labels, MetricHead, Registry } from "./registry.ts";

/** The metrics of one controller. */
export interface ControllerMeter {
  added(): void;
  started(waitedSeconds: number): void;
  finished(consequence: Consequence, end: ReconcileEnd, seconds: number): void;
  /** Counts a failure of a user function outside of reconciles. */
  userFailed(what: string): void;
}

/** The histogram buckets of controller-runtime. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 1.75, 2,
  2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const QUEUE_BUCKETS = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1, 10, 100, 1000];

type CounterOf = (name: string, help: string, ...more: readonly string[]) => Counter;

/** The reconcile metrics of controller-runtime. */
function reconcileMetrics(registry: Registry) {
  const labels = ["controller"];
  const counter: CounterOf = (name, help, ...more) =>
    registry.counter({ name: `controller_runtime_${name}`, help, labels: [...labels, ...more] });
  const gauge = (name: string, help: string): Gauge =>
    registry.gauge({ name: `controller_runtime_${name}`, help, labels });
  const time = {
    name: "controller_runtime_reconcile_time_seconds",
    help: "Length of time per reconciliation per controller",
    labels,
  };
  return {
    total: counter("reconcile_total", "Total number of reconciliations per controller", "result"),
    errors: counter("reconcile_errors_total", "Total number of reconciliation errors per controller"),
    terminal: counter(
      "terminal_reconcile_errors_total",
      "Total number of terminal reconciliation errors per controller",
    ),
    panics: counter("reconcile_panics_total", "Total number of reconciliation panics per controller"),
    timeouts: counter("reconcile_timeouts_total", "Total number of reconciliation timeouts per controller"),
    most: gauge("max_concurrent_reconciles", "Maximum number of concurrent reconciles per controller"),
    active: gauge("active_workers", "Number of currently used workers per controller"),
    time: registry.histogram(time, RECONCILE_BUCKETS),
  };
}

/** The work queue metrics of client-go. */
function queueMetrics(registry: Registry) {
  const labels = ["name", "controller"];
  const head = (name: string, help: string, ...more: readonly string[]): MetricHead => ({
    name: `workqueue_${name}`,
    help,
    labels: [...labels, ...more],
  });
  const waited = head(
    "queue_duration_seconds",
    "How long in seconds an item stays in workqueue before being requested",
  );
  const worked = head("work_duration_seconds", "How long in seconds processing an item from workqueue takes.");
  const unfinished = head(
    "unfinished_work_seconds",
    "How many seconds of work is in progress and not yet in work_duration",
  );
  const longest = head(
    "longest_running_processor_seconds",
    "How many seconds the longest running processor has been running",
  );
  return {
    depth: registry.gauge(head("depth", "Current depth of workqueue", "priority")),
    adds: registry.counter(head("adds_total", "Total number of adds handled by workqueue")),
    retries: registry.counter(head("retries_total", "Total number of retries handled by workqueue")),
    waited: registry.histogram(waited, QUEUE_BUCKETS),
    worked: registry.histogram(worked, QUEUE_BUCKETS),
    unfinished: registry.gauge(unfinished),
    longest: registry.gauge(longest),
  };
}

/** Metrics without a counterpart in controller-runtime. */
function ownMetrics(registry: Registry) {
  const labels = ["controller"];
  const paused = "Reconciles that were not taken because the object is paused";
  return {
    paused: registry.counter({ name: "capstan_paused_reconciles_total", help: paused, labels }),
    writes: registry.counter({
      name: "capstan_writes_total",
      help: "Writes made by reconciles",
      labels: [...labels, "verb"],
    }),
    userErrors: registry.counter({
      name: "capstan_function_errors_total",
      help: "Errors thrown by user functions: predicates, maps, fairnessKey, transforms and indexes",
      labels: [...labels, "function"],
    }),
  };
}

/** All metrics of the controllers of one operator. */
export class Meters {
  readonly #reconcile: ReturnType<typeof reconcileMetrics>;
  readonly #queue: ReturnType<typeof queueMetrics>;
  readonly #own: ReturnType<typeof ownMetrics>;
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
    this.#reconcile = reconcileMetrics(registry);
    this.#queue = queueMetrics(registry);
    this.#own = ownMetrics(registry);
  }

  /** Counts a failure of a user function in the caches, which all controllers share. */
  cacheFailed(what: string): void {
    this.#own.userErrors.add({ controller: "cache", function: what });
  }

  /** The metrics of one controller; those of `now` are read on each scrape. */
  of(controller: string, now: MeterSource): ControllerMeter {
    const labels = { controller };
    const queue = { controller, name: controller };
    const results = new Map<string, Labels>();
    const resultLabels = (result: string): Labels => {
      const known = results.get(result) ?? { controller, result };
      results.set(result, known);
      return known;
    };
    this.#start(controller, now);
    let active = 0;
    return {
      added: () => this.#queue.adds.add(queue),
      started: (waited) => {
        this.#queue.waited.observe(queue, waited);
        this.#reconcile.active.set(labels, ++active);
      },
      finished: (consequence, end, seconds) => {
        this.#reconcile.active.set(labels, --active);
        this.#reconcile.total.add(resultLabels(consequence.result));
        this.#reconcile.time.observe(labels, seconds);
        this.#queue.worked.observe(queue, seconds);
        if (consequence.queue.then === "retry") this.#queue.retries.add(queue);
        if (end.state === "paused") this.#own.paused.add(labels);
        for (const { verb } of end.reconcile?.writes ?? []) this.#own.writes.add({ controller, verb });
        if (end.outcome.outcome === "failed") this.#failed(controller, end.outcome);
      },
      userFailed: (what) => this.#own.userErrors.add({ controller, function: what }),
    };
  }

  /** Series exist from the start with the value zero, so that rates can be computed over the first event. */
  #start(controller: string, now: MeterSource): void {
    const labels = { controller };
    const queue = { controller, name: controller };
    const { total, errors, terminal, panics, timeouts, most, active } = this.#reconcile;
    most.set(labels, now.concurrency);
    active.set(labels, 0);
    for (const counter of [errors, terminal, panics, timeouts]) counter.add(labels, 0);
    for (const result of ["success", "error", "requeue", "requeue_after"]) total.add({ controller, result }, 0);
    for (const counter of [this.#queue.adds, this.#queue.retries]) counter.add(queue, 0);
    this.#registry.onRead(() => {
      const running = now.running();
      this.#queue.depth.set({ ...queue, priority: "" }, now.depth());
      this.#queue.unfinished.set(queue, running.sum);
      this.#queue.longest.set(queue, running.longest);
    });
  }

  #failed(controller: string, { error, retry }: { readonly error: unknown; readonly retry: boolean }): void {
    const labels = { controller };
    const { errors, terminal, timeouts, panics } = this.#reconcile;
    errors.add(labels);
    if (!retry) terminal.add(labels);
    if (error instanceof RuntimeError && error.code === "TimedOut") timeouts.add(labels);
    // The JavaScript counterparts of Go panics, such as a nil dereference or an index out of range.
    if (error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError)
      panics.add(labels);
  }
}

/** Values of a controller that are read on each scrape. */
export interface MeterSource {
  readonly concurrency: number;
  depth(): number;
  /** Seconds that running reconciles have taken so far. */
  running(): { readonly sum: number; readonly longest: number };
}
