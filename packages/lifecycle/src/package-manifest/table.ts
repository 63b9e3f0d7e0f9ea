/** PackageManifests as the table that kubectl shows. */
import { formatAge } from "@capstan/model";
import type { PackageManifest } from "./manifest.ts";

/** What each row holds of its object. */
export type IncludedObject = "None" | "Metadata" | "Object";

const NAME =
  "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const AGE =
  "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

/** The columns. */
export const columns: readonly object[] = [
  { name: "Name", type: "string", format: "name", description: NAME, priority: 0 },
  { name: "Catalog", type: "string", format: "", description: "The source catalog for this package", priority: 0 },
  { name: "Age", type: "string", format: "", description: AGE, priority: 0 },
];

/** The row of a manifest. */
export function toRow(
  manifest: PackageManifest,
  { now, include, type }: { readonly now: number; readonly include: IncludedObject; readonly type: object },
): object {
  const { metadata, status } = manifest;
  const age = formatAge(now - Date.parse(metadata.creationTimestamp));
  return { cells: [metadata.name, status.catalogSourceDisplayName, age], object: objectOf(manifest, include, type) };
}

function objectOf(manifest: PackageManifest, include: IncludedObject, type: object): unknown {
  switch (include) {
    case "None":
      return null;
    case "Metadata":
      return { kind: "PartialObjectMetadata", apiVersion: "meta.k8s.io/v1", metadata: manifest.metadata };
    case "Object":
      return { ...type, ...manifest };
    default:
      return include satisfies never;
  }
}
