/** The Deployments of an operator as the manager writes them, and whether the live ones are that and healthy. */
import type { Deployment, DeploymentSpec } from "@capstan/kinds/apps/v1";
import { deepHash } from "../cluster/hash.ts";
import { managedLabel, nonBlockingOwner, ownerLabels } from "../cluster/owners.ts";
import type { NewObject } from "../cluster/cluster.ts";
import type { ClusterServiceVersion, CsvDeployment } from "../kinds/csv.ts";
import type { SubscriptionConfig } from "../kinds/subscription.ts";
import { withConfig, withEnv } from "./config.ts";
import { toGoForm } from "./go-form.ts";

/** The label with the hash of the spec, by which drift is found. */
export const specHashLabel = "olm.deployment-spec-hash";

/** What the Deployments are made from. */
export interface DeploymentFacts {
  readonly csv: ClusterServiceVersion;
  readonly config?: SubscriptionConfig | undefined;
}

/** The Deployment for a spec of the operator. */
export function toDeployment(wanted: CsvDeployment, { csv, config }: DeploymentFacts): NewObject<Deployment> {
  const { name: csvName, namespace = "", annotations: csvAnnotations } = csv.metadata;
  const annotations = { ...wanted.spec.template.metadata?.annotations, ...csvAnnotations };
  const annotated = { ...wanted.spec.template, metadata: { ...wanted.spec.template.metadata, annotations } };
  const template = withEnv(withConfig(annotated, config), { name: "OPERATOR_CONDITION_NAME", value: csvName });
  const spec: DeploymentSpec = { ...wanted.spec, template, revisionHistoryLimit: 1 };
  const labels = {
    ...wanted.label,
    ...managedLabel,
    ...ownerLabels(csv),
    [specHashLabel]: deepHash(toGoForm(spec, "DeploymentSpec")),
  };
  const metadata = {
    name: wanted.name,
    namespace,
    labels,
    ownerReferences: [nonBlockingOwner(csv)],
    ...(config?.annotations === undefined ? {} : { annotations: config.annotations }),
  };
  return { metadata, spec };
}

/** Why an operator is not installed. A timeout cannot be repaired by waiting. */
export type InstallProblem = { readonly is: "timeout" | "waiting" | "missing" | "changed"; readonly message: string };

/** The first problem of the Deployments; undefined if all are as wanted and available. */
export function installProblem(
  wanted: readonly CsvDeployment[],
  facts: DeploymentFacts,
  live: readonly Deployment[],
): InstallProblem | undefined {
  const byName = new Map(live.map((each) => [each.metadata.name, each]));
  for (const spec of wanted) {
    const found = byName.get(spec.name);
    if (found === undefined) return { is: "missing", message: `missing deployment with name=${spec.name}` };
    const problem = healthProblem(found) ?? driftProblem(found, { spec, facts });
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function healthProblem(deployment: Deployment): InstallProblem | undefined {
  const { name } = deployment.metadata;
  const condition = (type: string) => deployment.status?.conditions?.find((each) => each.type === type);
  const isObserved = (deployment.metadata.generation ?? 0) <= (deployment.status?.observedGeneration ?? 0);
  if (isObserved && condition("Progressing")?.reason === "ProgressDeadlineExceeded") {
    const message = `deployment ${name} not ready before timeout: deployment "${name}" exceeded its progress deadline`;
    return { is: "timeout", message };
  }
  const available = condition("Available");
  const reason = isObserved
    ? (outdated(deployment) ??
      (available?.status === "True"
        ? undefined
        : `deployment "${name}" not available: ${available?.message ?? 'missing condition "Available"'}`))
    : `waiting for spec update of deployment "${name}" to be observed...`;
  if (reason === undefined) return undefined;
  return { is: "waiting", message: `waiting for deployment ${name} to become ready: ${reason}` };
}

function outdated({ metadata, status }: Deployment): string | undefined {
  const count = (status?.replicas ?? 0) - (status?.updatedReplicas ?? 0);
  if (count <= 0) return undefined;
  return `deployment "${metadata.name}" waiting for ${count} outdated replica(s) to be terminated`;
}

interface Wanted {
  readonly spec: CsvDeployment;
  readonly facts: DeploymentFacts;
}

function driftProblem({ metadata, spec }: Deployment, wanted: Wanted): InstallProblem | undefined {
  const annotations = spec?.template.metadata?.annotations;
  for (const [key, value] of Object.entries(wanted.facts.csv.metadata.annotations ?? {})) {
    const actual = annotations?.[key];
    if (annotations === undefined) return changed("no annotations found on deployment");
    if (actual === undefined) return changed(`annotations on deployment does not contain expected key: ${key}`);
    if (actual !== value) {
      return changed(`unexpected annotation on deployment. Expected ${key}:${value}, found ${key}:${actual}`);
    }
  }
  const old = metadata.labels?.[specHashLabel];
  const expected = toDeployment(wanted.spec, wanted.facts).metadata.labels?.[specHashLabel] ?? "";
  if (old === undefined) return changed(`deployment ${metadata.name} doesn't have a spec hash, update it`);
  return old === expected ? undefined : changed(`deployment changed old hash=${old}, new hash=${expected}`);
}

function changed(message: string): InstallProblem {
  return { is: "changed", message };
}
