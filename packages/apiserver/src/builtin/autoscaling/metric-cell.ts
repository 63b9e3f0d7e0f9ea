/** Table cell of metrics: current and target values. */
import type { MetricSpec, MetricStatus, MetricTarget, MetricValueStatus } from "@capstan/kinds/autoscaling/v2";

const shown = 2;
const unknown = "<unknown>";

/** The first two metrics, and how many more there are. */
export function metricsCell(metrics: readonly MetricSpec[], statuses: readonly MetricStatus[]): string {
  if (metrics.length === 0) return "<none>";
  const texts = metrics.map((metric, index) => metricText(metric, statuses[index] ?? { type: "" }));
  const text = texts.slice(0, shown).join(", ");
  return texts.length > shown ? `${text} + ${texts.length - shown} more...` : text;
}

function metricText(metric: MetricSpec, status: MetricStatus): string {
  switch (metric.type) {
    case "External":
      return valueText(metric.external?.target, status.external?.current);
    case "Object":
      return valueText(metric.object?.target, status.object?.current);
    case "Pods":
      return resourceText(metric.pods?.target, status.pods?.current);
    case "Resource":
      return named(metric.resource, status.resource);
    case "ContainerResource":
      return named(metric.containerResource, status.containerResource);
    default:
      return "<unknown type>";
  }
}

function named(
  source: { readonly name: string; readonly target: MetricTarget } | undefined,
  status: { readonly current: MetricValueStatus } | undefined,
): string {
  return `${source?.name ?? ""}: ${resourceText(source?.target, status?.current)}`;
}

function valueText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue} (avg)`;
  return `${current?.value ?? unknown}/${target?.value ?? ""}`;
}

function resourceText(target: MetricTarget | undefined, current: MetricValueStatus | undefined): string {
  if (target?.averageValue !== undefined) return `${current?.averageValue ?? unknown}/${target.averageValue}`;
  const used = current?.averageUtilization === undefined ? unknown : `${current.averageUtilization}%`;
  const wanted = target?.averageUtilization === undefined ? "<auto>" : `${target.averageUtilization}%`;
  return `${used}/${wanted}`;
}
