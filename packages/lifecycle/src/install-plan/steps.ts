/** The steps that install a bundle: its ClusterServiceVersion, its other objects, and the permissions of its operator. */
import type { Property } from "@capstan/bundle";
import { type Json, toGoJson } from "@capstan/model";
import type { Manifest } from "../csv/permissions.ts";
import { permissionObjects } from "../csv/permissions.ts";
import type { ClusterServiceVersion } from "../kinds/csv.ts";
import type { Step } from "../kinds/install-plan.ts";
import { withZeroValues } from "./zero-values.ts";

/** A catalog. */
export interface CatalogPlace {
  readonly name: string;
  readonly namespace: string;
}

/** A bundle with its objects. */
export interface BundleContent {
  readonly name: string;
  readonly objects: readonly Manifest[];
  readonly properties: readonly Property[];
  readonly replaces: string | undefined;
  readonly catalog: CatalogPlace;
}

/** The annotation of a ClusterServiceVersion with the properties of its bundle. */
export const propertiesAnnotation = "operatorframework.io/properties";

/** A bundle without a usable ClusterServiceVersion. */
export class BundleContentError extends Error {
  override readonly name = "BundleContentError";
  readonly code = "NoCsv";
}

/** The annotation value for the properties of a bundle. Objects in properties stay out: they are the bundle itself. */
export function formatProperties(properties: readonly Property[]): string {
  const listed = properties
    .filter(({ type }) => type !== "olm.bundle.object" && type !== "olm.csv.metadata")
    .map(({ type, value }) => ({ type, value }));
  return toGoJson(listed.length === 0 ? {} : { properties: listed });
}

/** The steps of a bundle in a namespace. */
export function stepsOf(bundle: BundleContent, namespace: string): readonly Step[] {
  const found = bundle.objects.find(({ kind }) => kind === "ClusterServiceVersion");
  if (found === undefined) {
    throw new BundleContentError(
      `bundle ${bundle.name} has no ClusterServiceVersion: publish it again with the manifest of its operator`,
    );
  }
  const csv = installable(withZeroValues(found), bundle, namespace);
  // The manifest of a ClusterServiceVersion has the shape of its kind.
  const { spec, metadata } = csv as unknown as ClusterServiceVersion;
  const owner = { apiVersion: csv.apiVersion, kind: csv.kind, metadata: { ...metadata, uid: "" } };
  const others = bundle.objects.filter(({ kind }) => kind !== "ClusterServiceVersion");
  const step = (object: Manifest): Step => toStep(object, csv.metadata.name ?? bundle.name, bundle.catalog);
  const permissions = permissionObjects(owner, spec.install.spec ?? {})
    .map(step)
    .map(withoutType);
  return inOrder([...[csv, ...others].map(step), ...permissions]);
}

function installable(csv: Manifest, { properties, replaces }: BundleContent, namespace: string): Manifest {
  const { replaces: _, ...spec } = csv["spec"] as { readonly [field: string]: unknown };
  const annotations = { ...csv.metadata.annotations, [propertiesAnnotation]: formatProperties(properties) };
  return {
    ...csv,
    metadata: { ...csv.metadata, namespace, annotations },
    spec: { cleanup: { enabled: false }, ...spec, ...(replaces === undefined || replaces === "" ? {} : { replaces }) },
  };
}

/** The original writes what it generates without apiVersion and kind. */
function withoutType(step: Step): Step {
  const { apiVersion: _version, kind: _kind, ...manifest } = JSON.parse(step.resource.manifest ?? "{}") as Manifest;
  return { ...step, resource: { ...step.resource, manifest: toGoJson(manifest as unknown as Json) } };
}

/** A step for an object. */
export function toStep(object: Manifest, resolving: string, catalog: CatalogPlace): Step {
  const [version = "", group = ""] = object.apiVersion.split("/").reverse();
  return {
    resolving,
    status: "Unknown",
    resource: {
      group,
      version,
      kind: object.kind === "Secret" ? "BundleSecret" : object.kind,
      name: object.metadata.name ?? object.metadata.generateName ?? "",
      manifest: toGoJson(object),
      sourceName: catalog.name,
      sourceNamespace: catalog.namespace,
    },
  };
}

/** ClusterServiceVersions, then CRDs, then everything else. */
export function inOrder(steps: readonly Step[]): readonly Step[] {
  const rank = ({ resource: { kind } }: Step): number =>
    kind === "ClusterServiceVersion" ? 0 : kind === "CustomResourceDefinition" ? 1 : 2;
  return [...steps].sort((a, b) => rank(a) - rank(b));
}
