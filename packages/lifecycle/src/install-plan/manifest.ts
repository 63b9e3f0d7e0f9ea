/** The manifest of a step: in the step itself, or in the ConfigMap of its unpacked bundle. */
import { gunzipSync } from "node:zlib";
import { ConfigMap } from "@capstan/kinds/v1";
import type { Cluster } from "../cluster/cluster.ts";
import type { Manifest } from "../csv/permissions.ts";
import type { Step } from "../kinds/install-plan.ts";
import { StepError } from "./errors.ts";
import { stepsOf } from "./steps.ts";
import type { Property } from "@capstan/bundle";

/** A manifest that stands in a ConfigMap. */
export interface ManifestReference {
  readonly kind: "ConfigMap";
  readonly name: string;
  readonly namespace: string;
  readonly catalogSourceName: string;
  readonly catalogSourceNamespace: string;
  readonly replaces: string;
  readonly properties: string;
}

/** Where a plan is. */
export interface PlanPlace {
  readonly cluster: Cluster;
  readonly namespace: string;
}

/** Reads the manifest of a step. */
export async function manifestOf(step: Step, { cluster, namespace: home }: PlanPlace): Promise<Manifest> {
  const parsed = parse(step);
  // Manifests of permissions have neither apiVersion nor kind: the step says them.
  if (!isReference(parsed)) return { ...typeOf(step), ...parsed } as Manifest;
  const { namespace, name } = parsed;
  const stored = await cluster.get(ConfigMap, { namespace, name });
  if (stored === undefined) {
    throw new StepError(
      "Manifest",
      `unpacked bundle configmap ${namespace}/${name} not found: delete the plan, so that the bundle is unpacked again`,
    );
  }
  const objects = readUnpacked(stored);
  const { properties = [] } = JSON.parse(parsed.properties === "" ? "{}" : parsed.properties) as {
    readonly properties?: readonly Property[];
  };
  const catalog = { name: parsed.catalogSourceName, namespace: parsed.catalogSourceNamespace };
  const bundle = { name: step.resolving, objects, properties, replaces: parsed.replaces, catalog };
  const { kind, name: object } = step.resource;
  const all = stepsOf(bundle, home);
  const found = all.find(({ resource }) => resource.kind === kind && resource.name === object);
  if (found === undefined)
    throw new StepError("Manifest", `no ${kind} ${object} in the unpacked bundle ${namespace}/${name}`);
  return { ...typeOf(found), ...parse(found) } as Manifest;
}

function parse({ resource: { manifest = "", kind, name } }: Step): object {
  try {
    return JSON.parse(manifest) as object;
  } catch {
    throw new StepError("Manifest", `error parsing step manifest: ${name}: the manifest of ${kind} is not JSON`);
  }
}

function typeOf({ resource: { group, version, kind } }: Step): { readonly apiVersion: string; readonly kind: string } {
  const apiVersion = group === undefined || group === "" ? (version ?? "") : `${group}/${version}`;
  return { apiVersion, kind: kind === "BundleSecret" ? "Secret" : kind };
}

function isReference(value: object): value is ManifestReference {
  return "catalogSourceName" in value && "properties" in value && !("metadata" in value);
}

/** The objects in the ConfigMap of an unpacked bundle. */
export function readUnpacked({ binaryData = {} }: ConfigMap): readonly Manifest[] {
  return Object.values(binaryData).map(
    (data) => JSON.parse(gunzipSync(Buffer.from(data, "base64")).toString("utf8")) as Manifest,
  );
}
