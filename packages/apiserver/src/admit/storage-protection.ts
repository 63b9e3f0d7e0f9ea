/** StorageObjectInUseProtection: adds the protection finalizer to volumes, claims and attributes classes. */
import type { AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor } from "./target.ts";

const finalizers: readonly (readonly [resource: string, group: string, finalizer: string])[] = [
  ["persistentvolumes", "", "kubernetes.io/pv-protection"],
  ["persistentvolumeclaims", "", "kubernetes.io/pvc-protection"],
  ["volumeattributesclasses", "storage.k8s.io", "kubernetes.io/vac-protection"],
];

export const storageObjectInUseProtection: AdmissionStep = {
  name: "StorageObjectInUseProtection",
  handles: (operation) => operation === "CREATE",
  mutate: protect,
};

function protect(request: AdmissionRequest): void {
  const found = finalizers.find(([resource, group]) => isFor(request, resource, group));
  const { metadata } = request.object ?? {};
  if (found === undefined || metadata === undefined) return;
  const [, , finalizer] = found;
  const present = metadata.finalizers ?? [];
  if (!present.includes(finalizer)) metadata.finalizers = [...present, finalizer];
}
