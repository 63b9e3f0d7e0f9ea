/** Objects reduced to their metadata. */
import type { KubeObject, ObjectMeta } from "@capstan/model";
import { GoReader } from "../decode/go-codec.ts";
import { structOf } from "../decode/go-type.ts";
import type { ServedResource } from "../resources/resource.ts";

/** The metadata of an object as an object of its own. */
export function toPartialMetadata(
  { rules, isCustom }: Pick<ServedResource, "rules"> & { readonly isCustom?: boolean },
  object: KubeObject,
  version: "v1" | "v1beta1",
): KubeObject {
  const metadata = isCustom === true ? inOrder(object.metadata) : object.metadata;
  const hidden = rules.serves === "answers" ? undefined : rules.wholeOnlyAnnotation;
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: hidden === undefined ? metadata : withoutAnnotation(metadata, hidden),
  };
}

/** Fields of custom objects are sorted by name; here they are in the order of Go's type. */
function inOrder(metadata: ObjectMeta): ObjectMeta {
  return new GoReader(undefined).readObject(structOf("meta/v1.ObjectMeta"), metadata as never) as ObjectMeta;
}

function withoutAnnotation(metadata: ObjectMeta, hidden: string): ObjectMeta {
  if (metadata.annotations?.[hidden] === undefined) return metadata;
  const { [hidden]: _, ...annotations } = metadata.annotations;
  if (Object.keys(annotations).length > 0) return { ...metadata, annotations };
  const { annotations: __, ...rest } = metadata;
  return rest;
}
