/** The key of an object within its kind: namespace and name. */
import type { KubeObject } from "./object.ts";

/** The identity of an object within its kind; the namespace of a cluster-scoped object is empty. */
export interface ObjectKey {
  readonly namespace: string;
  readonly name: string;
}

/** The key of an object. */
export function keyOf(object: Pick<KubeObject, "metadata">): ObjectKey {
  return { namespace: object.metadata.namespace ?? "", name: object.metadata.name ?? "" };
}

/** The key as one string: `namespace/name`, or the bare name of a cluster-scoped object. */
export function formatKey(key: ObjectKey): string {
  return key.namespace === "" ? key.name : `${key.namespace}/${key.name}`;
}

/** The inverse of {@link formatKey}. Names contain no slash, so the first one separates. */
export function parseKey(text: string): ObjectKey {
  const slash = text.indexOf("/");
  return slash < 0 ? { namespace: "", name: text } : { namespace: text.slice(0, slash), name: text.slice(slash + 1) };
}
