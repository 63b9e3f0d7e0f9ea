/** Alerts over the metrics that every operator serves, with hints where to start. */
import { labelsOf, type Manifest } from "./manifest.ts";
import { type Placement } from "./objects.ts";
import type { Program } from "./program.ts";

interface Alert {
  readonly name: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: "warning" | "critical";
  readonly summary: string;
  readonly description: string;
}

/** The rule for the Prometheus operator. */
export function prometheusRule(program: Program, { namespace }: Placement): Manifest {
  const rules = alertsOf({ job: `${program.name}-metrics`, namespace }).map((alert) => ({
    alert: alert.name,
    expr: alert.expr,
    for: alert.for,
    labels: { severity: alert.severity, operator: program.name },
    annotations: { summary: alert.summary, description: alert.description },
  }));
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: `${program.name}-alerts`, namespace, labels: labelsOf(program) },
    spec: { groups: [{ name: program.name, rules }] },
  };
}

/** Scraped through a Service, an operator's job is called like it. */
function alertsOf({ job, namespace }: { readonly job: string; readonly namespace: string }): readonly Alert[] {
  const here = `{job="${job}",namespace="${namespace}"}`;
  return [
    {
      name: "OperatorReconcileErrors",
      expr: `sum by (controller) (rate(controller_runtime_reconcile_errors_total${here}[10m])) > 0.1 * sum by (controller) (rate(controller_runtime_reconcile_total${here}[10m]))`,
      for: "15m",
      severity: "warning",
      summary: "More than a tenth of what {{ $labels.controller }} does fails",
      description: "Its log names the objects; capstan explain KIND/NAME shows the last reconciles of one.",
    },
    {
      name: "OperatorQueueDepth",
      expr: `sum by (name) (workqueue_depth${here}) > 100`,
      for: "15m",
      severity: "warning",
      summary: "{{ $value }} objects wait for {{ $labels.name }}",
      description:
        "It gets more to do than it does: look for slow reconciles, or for objects that change all the time.",
    },
    {
      name: "OperatorWatchFailing",
      expr: `sum by (kind) (capstan_watch_failing${here}) > 0`,
      for: "5m",
      severity: "critical",
      summary: "The operator does not see what happens to {{ $labels.kind }}",
      description: "The API server does not answer or refuses: look at the operator's log and at its roles.",
    },
    {
      name: "OperatorLeaderLost",
      expr: `(sum(leader_election_master_status${here}) or vector(0)) < 1`,
      for: "5m",
      severity: "critical",
      summary: "No replica of the operator leads, so nothing is reconciled",
      description: "Either no replica runs, or none can write the lease: look at the pods and at the lease.",
    },
  ];
}
