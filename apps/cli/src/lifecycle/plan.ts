/** What an InstallPlan would do, for people: objects, and permissions that operators gain. */
import { type Cluster, InstallPlan, type Subscription } from "@capstan/lifecycle";
import { CliError } from "../errors.ts";

/** One object of a plan. */
export interface PlannedObject {
  readonly kind: string;
  readonly name: string;
  readonly status: string;
}

/** A permission of a plan. */
export interface PlannedPermission {
  readonly scope: "cluster" | "namespace";
  readonly rule: string;
}

/** A plan in words. */
export interface DescribedPlan {
  readonly name: string;
  readonly phase: string;
  readonly operators: readonly string[];
  readonly objects: readonly PlannedObject[];
  readonly permissions: readonly PlannedPermission[];
}

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

/** Describes a plan. */
export function describePlan({ metadata, spec, status }: InstallPlan): DescribedPlan {
  const steps = status?.plan ?? [];
  return {
    name: metadata.name,
    phase: status?.phase ?? "",
    operators: spec.clusterServiceVersionNames,
    objects: steps.map(({ resource, status: step }) => ({ kind: resource.kind, name: resource.name, status: step })),
    permissions: steps.flatMap(({ resource }) => permissionsIn(resource)),
  };
}

interface Rule {
  readonly verbs?: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

function permissionsIn({
  kind,
  manifest = "",
}: {
  readonly kind: string;
  readonly manifest?: string;
}): PlannedPermission[] {
  if (kind !== "Role" && kind !== "ClusterRole") return [];
  const { rules = [] } = JSON.parse(manifest) as { readonly rules?: readonly Rule[] };
  const scope = kind === "Role" ? "namespace" : "cluster";
  return rules.map((rule) => ({ scope, rule: formatRule(rule) }));
}

function formatRule({ verbs = [], apiGroups = [], resources = [], nonResourceURLs = [] }: Rule): string {
  const groups = apiGroups.map((group) => (group === "" ? "core" : group)).join(",");
  const what = nonResourceURLs.length > 0 ? nonResourceURLs.join(",") : `${resources.join(",")} (${groups})`;
  return `${verbs.join(",")} ${what}`;
}

/** A plan as text. */
export function formatDescribedPlan({ name, phase, operators, objects, permissions }: DescribedPlan): string {
  const lines = [
    `plan ${name} (${phase}) installs ${operators.join(", ")}`,
    "objects:",
    ...objects.map((each) => `  ${each.kind} ${each.name}${each.status === "Unknown" ? "" : ` (${each.status})`}`),
    ...(permissions.length === 0 ? [] : ["permissions of the operators:"]),
    ...permissions.map((each) => `  ${each.scope}: ${each.rule}`),
  ];
  return `${lines.join("\n")}\n`;
}
