/** What an InstallPlan would do, for people: objects, permissions, CRDs and images. */
import {
  type Cluster,
  InstallPlan,
  planReport,
  type PlanReport,
  previewName,
  type Subscription,
} from "@capstan/lifecycle";
import { CliError } from "../errors.ts";
import { discoveryOf } from "./manager.ts";
import type { Connected } from "./options.ts";

/** The plan that a Subscription refers to. */
export async function planOf({ metadata, status }: Subscription, cluster: Cluster): Promise<InstallPlan> {
  const name = status?.installPlanRef?.name;
  const { namespace = "" } = metadata;
  const plan = name === undefined ? undefined : await cluster.get(InstallPlan, { namespace, name });
  if (plan !== undefined) return plan;
  throw new CliError(
    "Failed",
    `the Subscription ${metadata.name} has no plan yet: \`capstan lifecycle status -n ${namespace}\` says why`,
  );
}

/** Compares a plan with the cluster. */
export async function describePlan(plan: InstallPlan, { cluster, client }: Connected): Promise<PlanReport> {
  return planReport(plan, { cluster, discovery: discoveryOf(client) });
}

const SHORT = 60;

/** A report as text. */
export function formatPlanReport(report: PlanReport): string {
  const { name, phase, operators, objects, permissions, crds, images } = report;
  const section = (title: string, lines: readonly string[]): readonly string[] =>
    lines.length === 0 ? [] : [title, ...lines.map((line) => `  ${line}`)];
  const rights = (word: string, list: PlanReport["permissions"]["gained"]): readonly string[] =>
    list.map(({ scope, account, right }) => `${word} ${right} (${scope}, ${account})`);
  const lines = [
    `${name === previewName ? "the plan" : `plan ${name} (${phase})`} installs ${operators.join(", ")}`,
    ...section("objects:", objects.flatMap(formatObject)),
    ...section("permissions:", [...rights("gains", permissions.gained), ...rights("loses", permissions.lost)]),
    ...section("CRDs:", crds.flatMap(formatCrd)),
    ...section("images:", [...images.added.map((each) => `+ ${each}`), ...images.removed.map((each) => `- ${each}`)]),
  ];
  return `${lines.join("\n")}\n`;
}

function formatObject({ action, kind, name, changes }: PlanReport["objects"][number]): readonly string[] {
  const fields = changes.map(({ path, from, to }) => `  ${path}: ${short(from)} -> ${short(to)}`);
  return [`${action} ${kind} ${name}`, ...fields];
}

function short(value: unknown): string {
  const text = value === undefined ? "nothing" : JSON.stringify(value);
  return text.length > SHORT ? `${text.slice(0, SHORT - 3)}...` : text;
}

function formatCrd({ name, isNew, findings, objects, refusals }: PlanReport["crds"][number]): readonly string[] {
  if (isNew) return [`${name} is new`];
  const fitting = objects.filter(({ verdict }) => verdict === "fits").length;
  return [
    `${name}: ${fitting} of ${objects.length} stored objects fit`,
    ...refusals.map((refusal) => `  prevents the change: ${refusal}`),
    ...findings.map((finding) => `  note: ${finding}`),
  ];
}
