/** Converts stored objects to the version of the request. */
import type { KubeObject } from "@capstan/model";
import type { ServedResource } from "../resources/resource.ts";

/** Converts one stored object. */
export function present(resource: ServedResource, object: KubeObject): KubeObject | Promise<KubeObject> {
  if (resource.conversion === undefined) return object;
  const converted = resource.conversion.fromStored([object]);
  return converted instanceof Promise ? converted.then(([one]) => one ?? object) : (converted[0] ?? object);
}

/** Converts several stored objects. */
export function presentAll(
  resource: ServedResource,
  objects: readonly KubeObject[],
): readonly KubeObject[] | Promise<readonly KubeObject[]> {
  return resource.conversion === undefined ? objects : resource.conversion.fromStored(objects);
}
