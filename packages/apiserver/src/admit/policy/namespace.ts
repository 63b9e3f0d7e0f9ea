/** The namespace of a request in the form of expressions. */
import { apiErrors, type KubeObject } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest } from "../admission.ts";

const shownMetadata: ReadonlySet<string> = new Set([
  "name",
  "generateName",
  "namespace",
  "uid",
  "resourceVersion",
  "generation",
  "creationTimestamp",
  "deletionTimestamp",
  "deletionGracePeriodSeconds",
  "labels",
  "annotations",
  "finalizers",
]);

/** Absent for cluster-scoped objects, including namespaces. */
export function namespaceObjectOf(
  { kind, namespace }: AdmissionRequest,
  { lookup }: AdmissionContext,
): KubeObject | undefined {
  if (namespace === "" || (kind.kind === "Namespace" && kind.group === "")) return undefined;
  const found = lookup.get("namespaces", namespace);
  if (found === undefined) throw apiErrors.notFound({ group: "", resource: "namespaces" }, namespace);
  const metadata = Object.fromEntries(Object.entries(found.metadata).filter(([field]) => shownMetadata.has(field)));
  const { kind: _kind, apiVersion: _apiVersion, ...rest } = found;
  return { ...rest, metadata } as unknown as KubeObject;
}
