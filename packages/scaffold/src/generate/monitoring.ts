/** Monitoring of the objects that an operator manages: alert rules and a runbook from a value that its program exports. */
import { labelsOf, type Manifest } from "./manifest.ts";
import type { Placement } from "./objects.ts";
import type { Program } from "./program.ts";

/** The parts of an exported value that files are made from; `monitoringOf` of `capstan/stateful` makes it. */
export interface MonitoringFacts {
  readonly kind: string;
  readonly alerts: readonly AlertFacts[];
  readonly panels: readonly PanelFacts[];
  readonly reasons: readonly { readonly reason: string; readonly meaning: string; readonly action: string }[];
}

interface AlertFacts {
  readonly name: string;
  readonly expr: string;
  readonly for: string;
  readonly severity: string;
  readonly summary: string;
  readonly meaning: string;
  readonly steps: readonly string[];
}

/** A panel of a dashboard. */
export interface PanelFacts {
  readonly title: string;
  readonly unit: string;
  readonly queries: readonly { readonly expr: string; readonly legend: string }[];
}

/** The monitoring values among the exports of a program. */
export function readMonitoring(exported: readonly unknown[]): readonly MonitoringFacts[] {
  return exported.filter((value) => isMonitoring(value));
}

/** The mark makes sure that the rest has its form. */
function isMonitoring(value: unknown): value is MonitoringFacts {
  return typeof value === "object" && value !== null && "is" in value && value.is === "capstan/monitoring";
}

/** A PrometheusRule with the alerts of one kind. */
export function clusterRule(program: Program, { kind, alerts }: MonitoringFacts, { namespace }: Placement): Manifest {
  const rules = alerts.map((alert) => ({
    alert: alert.name,
    expr: alert.expr,
    for: alert.for,
    labels: { severity: alert.severity, operator: program.name },
    annotations: { summary: alert.summary, description: [alert.meaning, ...alert.steps].join(" ") },
  }));
  const group = kind.toLowerCase();
  return {
    apiVersion: "monitoring.coreos.com/v1",
    kind: "PrometheusRule",
    metadata: { name: `${program.name}-${group}-alerts`, namespace, labels: labelsOf(program) },
    spec: { groups: [{ name: `${program.name}-${group}`, rules }] },
  };
}

/** A page with a chapter for each alert, and a table of the reasons. */
export function runbook({ kind, alerts, reasons }: MonitoringFacts): string {
  const chapters = alerts.map(({ name, severity, for: duration, meaning, steps, expr }) =>
    [
      `## ${name}`,
      `${meaning} (${severity}, after ${duration})`,
      steps.map((step, at) => `${at + 1}. ${step}`).join("\n"),
      `\`\`\`promql\n${expr}\n\`\`\``,
    ].join("\n\n"),
  );
  const rows = reasons.map(({ reason, meaning, action }) => `| \`${reason}\` | ${meaning} | ${action} |`);
  const table = [`| reason | meaning | what to do |`, `| --- | --- | --- |`, ...rows].join("\n");
  return `${[`# Runbook of ${kind}`, ...chapters, "## Reasons of the condition Degraded", table].join("\n\n")}\n`;
}
