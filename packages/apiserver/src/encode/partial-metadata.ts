/** Objects reduced to their metadata. */
import type { KubeObject, ObjectMeta } from "@capstan/model";
import { GoReader } from "../decode/go-codec.ts";
import { structOf } from "../decode/go-type.ts";
import type { ServedResource } from "../resources/resource.ts";

/** The PartialObjectMetadata of an object. */
export function toPartialMetadata(
  { rules, isCustom }: Pick<ServedResource, "rules"> & { readonly isCustom?: boolean },
  object: KubeObject,
  version: "v1" | "v1beta1",
): KubeObject {
  const metadata = isCustom === true ? inOrder(object.metadata) : object.metadata;
  const hidden = rules.serves === "answers" ? undefined : rules.wholeOnlyAnnotations;
  return {
    kind: "PartialObjectMetadata",
    apiVersion: `meta.k8s.io/${version}`,
    metadata: hidden === undefined ? metadata : withoutAnnotations(metadata, hidden),
  };
}

/** Fields of custom objects are sorted by name; here they are in the order of Go's type. */
function inOrder(metadata: ObjectMeta): ObjectMeta {
  return new GoReader(undefined).readObject(structOf("meta/v1.ObjectMeta"), metadata as never) as ObjectMeta;
}

/** Removes annotations; returns the same metadata if it has none of them. */
function withoutAnnotations<T extends Pick<ObjectMeta, "annotations">>(metadata: T, names: readonly string[]): T {
  const { annotations = {}, ...rest } = metadata;
  if (!names.some((name) => annotations[name] !== undefined)) return metadata;
  const others = Object.entries(annotations).filter(([name]) => !names.includes(name));
  return (others.length === 0 ? rest : { ...metadata, annotations: Object.fromEntries(others) }) as T;
}
