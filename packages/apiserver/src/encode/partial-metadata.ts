/** Objects reduced to their metadata. */
import type { KubeObject, ObjectMeta } from "@capstan/model";
import type { ServedResource } from "../resources/resource.ts";

/** The metadata of an object as an object of its own. */
export function toPartialMetadata(
  { rules }: Pick<ServedResource, "rules">,
  { metadata }: KubeObject,
  version: "v1" | "v1beta1",
): KubeObject {
  const hidden = rules.serves === "answers" ? undefined : rules.wholeOnlyAnnotation;
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: hidden === undefined ? metadata : withoutAnnotation(metadata, hidden),
  };
}

function withoutAnnotation(metadata: ObjectMeta, hidden: string): ObjectMeta {
  if (metadata.annotations?.[hidden] === undefined) return metadata;
  const { [hidden]: _, ...annotations } = metadata.annotations;
  if (Object.keys(annotations).length > 0) return { ...metadata, annotations };
  const { annotations: __, ...rest } = metadata;
  return rest;
}
