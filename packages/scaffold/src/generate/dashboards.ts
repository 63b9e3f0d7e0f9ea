/** Grafana dashboards over the metrics that every operator serves. */
import type { Files } from "../project/render.ts";
import type { CustomMetric } from "./custom-metrics.ts";
import type { MonitoringFacts, PanelFacts as Panel } from "./monitoring.ts";
import type { Program } from "./program.ts";

/** Panels beside those of every operator. */
export interface OwnPanels {
  readonly metrics?: readonly CustomMetric[];
  readonly monitoring?: readonly MonitoringFacts[];
}

/**
 * Two dashboards: what the controllers do, and what that costs; one for metrics of the operator's own, and one for each kind whose
 * monitoring the program exports.
 */
export function dashboards({ name }: Program, { metrics: own = [], monitoring = [] }: OwnPanels = {}): Files {
  return new Map([
    ...monitoring.map(({ kind, panels }) => {
      const file = kind.toLowerCase();
      return [`${file}.json`, dashboard(`${name}: ${kind}`, `${name}-${file}`, panels)] as const;
    }),
    ...(own.length === 0
      ? []
      : [["custom.json", dashboard(`${name}: its own metrics`, `${name}-custom`, own.map(customPanel))] as const]),
    ["controllers.json", dashboard(`${name}: controllers`, `${name}-controllers`, controllerPanels)],
    ["resources.json", dashboard(`${name}: resources`, `${name}-resources`, resourcePanels)],
  ]);
}

const rate = (metric: string, by: string): string => `sum by (${by}) (rate(${metric}{job="$job"}[5m]))`;
const quantile = (q: number, metric: string, by: string): string =>
  `histogram_quantile(${q}, sum by (${by}, le) (rate(${metric}_bucket{job="$job"}[5m])))`;

const controllerPanels: readonly Panel[] = [
  {
    title: "Reconciles",
    unit: "ops",
    queries: [
      { expr: rate("controller_runtime_reconcile_total", "controller, result"), legend: "{{controller}} {{result}}" },
    ],
  },
  {
    title: "Failures",
    unit: "ops",
    queries: [{ expr: rate("controller_runtime_reconcile_errors_total", "controller"), legend: "{{controller}}" }],
  },
  {
    title: "How long a reconcile takes",
    unit: "s",
    queries: [0.5, 0.9, 0.99].map((q) => ({
      expr: quantile(q, "controller_runtime_reconcile_time_seconds", "controller"),
      legend: `{{controller}} p${q * 100}`,
    })),
  },
  {
    title: "How long objects wait",
    unit: "s",
    queries: [0.5, 0.9, 0.99].map((q) => ({
      expr: quantile(q, "workqueue_queue_duration_seconds", "name"),
      legend: `{{name}} p${q * 100}`,
    })),
  },
  {
    title: "Objects that wait",
    unit: "short",
    queries: [{ expr: 'sum by (name) (workqueue_depth{job="$job"})', legend: "{{name}}" }],
  },
  {
    title: "Retries",
    unit: "ops",
    queries: [{ expr: rate("workqueue_retries_total", "name"), legend: "{{name}}" }],
  },
  {
    title: "Writes",
    unit: "ops",
    queries: [{ expr: rate("capstan_writes_total", "controller, verb"), legend: "{{controller}} {{verb}}" }],
  },
  {
    title: "Workers at work",
    unit: "short",
    queries: [
      { expr: 'sum by (controller) (controller_runtime_active_workers{job="$job"})', legend: "{{controller}}" },
    ],
  },
];

/** The panel for a metric type: rate, value, or quantile. */
function customPanel({ metric, type, expr, unit }: CustomMetric): Panel {
  if (expr !== undefined) return { title: metric, unit: unit ?? "short", queries: [{ expr, legend: "" }] };
  switch (type) {
    case "counter":
      return {
        title: `${metric} a second`,
        unit: unit ?? "ops",
        queries: [{ expr: `sum(rate(${metric}{job="$job"}[5m]))`, legend: metric }],
      };
    case "gauge":
      return {
        title: metric,
        unit: unit ?? "short",
        queries: [{ expr: `sum(${metric}{job="$job"})`, legend: metric }],
      };
    case "histogram":
      return {
        title: metric,
        unit: unit ?? "s",
        queries: [0.5, 0.9, 0.99].map((q) => ({
          expr: `histogram_quantile(${q}, sum by (le) (rate(${metric}_bucket{job="$job"}[5m])))`,
          legend: `p${q * 100}`,
        })),
      };
  }
}

const resourcePanels: readonly Panel[] = [
  {
    title: "CPU",
    unit: "short",
    queries: [{ expr: 'rate(process_cpu_seconds_total{job="$job"}[5m])', legend: "{{pod}}" }],
  },
  {
    title: "Memory",
    unit: "bytes",
    queries: [{ expr: 'process_resident_memory_bytes{job="$job"}', legend: "{{pod}}" }],
  },
  {
    title: "Cached objects",
    unit: "short",
    queries: [{ expr: 'sum by (kind) (capstan_cache_objects{job="$job"})', legend: "{{kind}}" }],
  },
  {
    title: "Cached bytes",
    unit: "bytes",
    queries: [{ expr: 'sum by (kind) (capstan_cache_bytes{job="$job"})', legend: "{{kind}}" }],
  },
  {
    title: "Requests to the API server",
    unit: "ops",
    queries: [{ expr: rate("rest_client_requests_total", "code, method"), legend: "{{method}} {{code}}" }],
  },
  {
    title: "Watches that fail",
    unit: "short",
    queries: [{ expr: 'sum by (kind) (capstan_watch_failing{job="$job"})', legend: "{{kind}}" }],
  },
];

const source = { type: "prometheus", uid: "${datasource}" };

function dashboard(title: string, uid: string, panels: readonly Panel[]): string {
  const board = {
    title,
    uid: uid.slice(0, 40),
    schemaVersion: 41,
    editable: true,
    time: { from: "now-1h", to: "now" },
    refresh: "30s",
    templating: {
      list: [
        { name: "datasource", type: "datasource", query: "prometheus" },
        {
          name: "job",
          type: "query",
          datasource: source,
          query: { query: "label_values(controller_runtime_reconcile_total, job)", refId: "job" },
          refresh: 2,
        },
      ],
    },
    panels: panels.map(toPanel),
  };
  return `${JSON.stringify(board, undefined, 2)}\n`;
}

function toPanel({ title, unit, queries }: Panel, at: number): object {
  return {
    id: at + 1,
    title,
    type: "timeseries",
    datasource: source,
    gridPos: { h: 8, w: 12, x: (at % 2) * 12, y: Math.floor(at / 2) * 8 },
    fieldConfig: { defaults: { unit }, overrides: [] },
    targets: queries.map(({ expr, legend }, index) => ({
      refId: String.fromCodePoint(65 + index),
      datasource: source,
      expr,
      legendFormat: legend,
    })),
  };
}
