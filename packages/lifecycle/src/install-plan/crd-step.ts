/** Creates or updates the CRD of a step, unless stored objects would be lost or become invalid. */
import { isApiError } from "@capstan/client";
import { CustomResourceDefinition } from "@capstan/kinds/apiextensions.k8s.io/v1";
import type { Kind, KubeObject } from "@capstan/model";
import type { Cluster, NewObject } from "../cluster/cluster.ts";
import { fnv1a64 } from "../cluster/hash.ts";
import { serverMessage } from "../cluster/server-message.ts";
import { managedLabel } from "../cluster/owners.ts";
import { alongsidePrefix, installedAlongside } from "../csv/requirements.ts";
import type { StepStatus } from "../kinds/install-plan.ts";
import { StepError } from "./errors.ts";
import { schemaErrors } from "./stored-objects.ts";

/** A CRD to write, with the ClusterServiceVersion that brings it. */
export interface CrdStep {
  readonly wanted: NewObject<CustomResourceDefinition>;
  readonly status: StepStatus;
  /** `namespace/name` of the ClusterServiceVersion. */
  readonly installer: string;
  /** Whether a ClusterServiceVersion, as `namespace/name`, still exists and is not a copy. */
  readonly isInstalled: (place: string) => boolean;
  readonly warn: (message: string) => void;
  /** The calls that write the CRD: those of the group's service account, or those of the manager. */
  readonly writer: Cluster;
}

/** Does what the status of the step asks for, and returns the next status. */
export async function runCrdStep(step: CrdStep, cluster: Cluster): Promise<StepStatus> {
  const name = step.wanted.metadata.name ?? "";
  switch (step.status) {
    case "Present":
    case "Created":
      return step.status;
    case "WaitingForApi": {
      const found = await cluster.get(CustomResourceDefinition, { namespace: "", name });
      if (found === undefined) return "NotPresent";
      return isServed(found) ? "Created" : "WaitingForApi";
    }
    case "Unknown":
    case "NotPresent": {
      const known = await cluster.get(CustomResourceDefinition, { namespace: "", name });
      if (known !== undefined) {
        await update(step, known, cluster);
        return "Present";
      }
      await explained(name, () => step.writer.create(CustomResourceDefinition, withInstallers(step, [])));
      return "WaitingForApi";
    }
    case "NotCreated":
    case "UnsupportedResource":
      return "Unknown";
    default:
      return step.status satisfies never;
  }
}

function isServed({ status }: CustomResourceDefinition): boolean {
  const holds = (type: string): boolean =>
    status?.conditions?.some((each) => each.type === type && each.status === "True") === true;
  return holds("Established") && holds("NamesAccepted");
}

/** The CRD with the annotations that say with which ClusterServiceVersions it was installed. */
function withInstallers(
  { wanted, installer, isInstalled }: CrdStep,
  before: readonly string[],
): NewObject<CustomResourceDefinition> {
  const places = [...before, ...installedAlongside(wanted as CustomResourceDefinition)].filter(isInstalled);
  const annotations = Object.fromEntries([
    ...Object.entries(wanted.metadata.annotations ?? {}).filter(([key]) => !key.startsWith(alongsidePrefix)),
    ...[...new Set([...places, installer])].map((place) => [`${alongsidePrefix}${fnv1a64(place)}`, place]),
  ]);
  const labels = { ...wanted.metadata.labels, ...managedLabel };
  return { ...wanted, metadata: { ...wanted.metadata, labels, annotations } };
}

async function update(step: CrdStep, known: CustomResourceDefinition, cluster: Cluster): Promise<void> {
  const name = known.metadata.name;
  await checkStoredObjects(step, known, cluster);
  const versions = new Set(step.wanted.spec.versions.map((version) => version.name));
  const lost = (known.status?.storedVersions ?? []).find((version) => !versions.has(version));
  if (lost !== undefined) {
    throw new StepError(
      "Unsafe",
      `risk of data loss updating "${name}": new CRD removes version ${lost} that is listed as a stored version on the existing CRD`,
    );
  }
  const { metadata, spec } = withInstallers(step, installedAlongside(known));
  const kept = { ...known.metadata, labels: metadata.labels ?? {}, annotations: metadata.annotations ?? {} };
  const after = { ...known, spec, metadata: kept };
  await explained(name, () => step.writer.change(CustomResourceDefinition, { before: known, after }));
}

/** Says what helps when the service account may not write CRDs: in the original they are always written by the manager. */
async function explained<T>(name: string, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (isApiError(error, "Forbidden")) {
      error.message = `${serverMessage(error)}: the service account of the OperatorGroup must be allowed to write the CRD ${name}, or the manager must be started with --scoped-crds=manager`;
    }
    throw error;
  }
}

/** Every stored object must satisfy the new schema of each version that was and is served. */
async function checkStoredObjects(
  { wanted, warn }: CrdStep,
  known: CustomResourceDefinition,
  cluster: Cluster,
): Promise<void> {
  const served = new Set(known.spec.versions.filter((each) => each.served).map(({ name }) => name));
  for (const version of wanted.spec.versions) {
    if (!version.served || !served.has(version.name)) continue;
    const { group, names, scope } = known.spec;
    const kind: Kind = {
      group,
      version: version.name,
      kind: names.kind,
      plural: names.plural,
      scope: scope as Kind["scope"],
    };
    for (const object of await cluster.list<KubeObject>(kind)) {
      const problems = schemaErrors(version.schema?.openAPIV3Schema, object);
      if (problems === undefined) continue;
      const place = [object.metadata.namespace, object.metadata.name].filter(Boolean).join("/");
      const detail = `error validating ${group}/${version.name}, Kind=${names.kind} "${place}": updated validation is too restrictive: ${problems}`;
      if (wanted.spec.conversion?.strategy !== "Webhook") {
        throw new StepError(
          "Unsafe",
          `error validating existing CRs against new CRD's schema for "${known.metadata.name}": ${detail}`,
        );
      }
      warn(conversionWarning(known.metadata.name, detail));
    }
  }
}

function conversionWarning(name: string, detail: string): string {
  return (
    "Validation of existing CRs against the new CRD's schema failed, but a webhook conversion strategy was specified in the new CRD.\n" +
    "The new webhook will only start after the bundle is upgraded, so we must assume that it will successfully convert existing CRs to a format that would have passed validation.\n\n" +
    `CRD: "${name}"\nValidation Error: ${detail}\n`
  );
}
