/** Objects reduced to their metadata. */
import type { KubeObject } from "@capstan/model";

/** The metadata of an object as an object of its own. */
export function toPartialMetadata({ metadata }: KubeObject, version: "v1" | "v1beta1"): KubeObject {
  return { kind: "PartialObjectMetadata", apiVersion: `meta.k8s.io/${version}`, metadata };
}
