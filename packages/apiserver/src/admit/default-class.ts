/** Sets the default storage class of claims and the default ingress class of ingresses. */
import type { Ingress } from "@capstan/kinds/networking.k8s.io/v1";
import type { PersistentVolumeClaim } from "@capstan/kinds/v1";
import type { KubeObject } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "./admission.ts";
import { isFor, objectOf } from "./target.ts";

export const defaultStorageClass: AdmissionStep = {
  name: "DefaultStorageClass",
  handles: (operation) => operation === "CREATE",
  mutate(request: AdmissionRequest, { lookup }: AdmissionContext) {
    if (!isFor(request, "persistentvolumeclaims")) return;
    const { metadata, spec } = objectOf<PersistentVolumeClaim>(request);
    const isAsked = metadata.annotations?.["volume.beta.kubernetes.io/storage-class"] !== undefined;
    if (spec === undefined || isAsked || spec.storageClassName !== undefined) return;
    const name = newestMarked(lookup.list("storageclasses.storage.k8s.io"), storageMarks);
    if (name !== undefined) spec.storageClassName = name;
  },
};

export const defaultIngressClass: AdmissionStep = {
  name: "DefaultIngressClass",
  handles: (operation) => operation === "CREATE",
  mutate(request: AdmissionRequest, { lookup }: AdmissionContext) {
    if (!isFor(request, "ingresses", "networking.k8s.io")) return;
    const ingress = objectOf<Ingress>(request);
    const isAsked = ingress.metadata.annotations?.["kubernetes.io/ingress.class"] !== undefined;
    if (isAsked || ingress.spec?.ingressClassName !== undefined) return;
    const name = newestMarked(lookup.list("ingressclasses.networking.k8s.io"), ingressMarks);
    if (name !== undefined) (ingress.spec ??= {}).ingressClassName = name;
  },
};

const storageMarks = [
  "storageclass.kubernetes.io/is-default-class",
  "storageclass.beta.kubernetes.io/is-default-class",
];
const ingressMarks = ["ingressclass.kubernetes.io/is-default-class"];

/** Of several defaults the newest wins, of equally old ones the first by name. */
function newestMarked(classes: readonly KubeObject[], marks: readonly string[]): string | undefined {
  const marked = classes.filter(({ metadata }) => marks.some((mark) => metadata.annotations?.[mark] === "true"));
  const age = ({ metadata }: KubeObject): string => metadata.creationTimestamp ?? "";
  const name = ({ metadata }: KubeObject): string => metadata.name ?? "";
  marked.sort((a, b) => compare(age(b), age(a)) || compare(name(a), name(b)));
  return marked[0]?.metadata.name;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
