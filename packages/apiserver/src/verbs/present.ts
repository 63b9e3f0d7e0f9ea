/** Objects of the store in the version that a client asked for. */
import type { KubeObject } from "@capstan/model";
import type { ServedResource } from "../resources/resource.ts";

/** One stored object as the resource serves it. */
export function present(resource: ServedResource, object: KubeObject): KubeObject | Promise<KubeObject> {
  if (resource.conversion === undefined) return object;
  const converted = resource.conversion.fromStored([object]);
  return converted instanceof Promise ? converted.then(([one]) => one ?? object) : (converted[0] ?? object);
}

/** Several stored objects as the resource serves them. */
export function presentAll(
  resource: ServedResource,
  objects: readonly KubeObject[],
): readonly KubeObject[] | Promise<readonly KubeObject[]> {
  return resource.conversion === undefined ? objects : resource.conversion.fromStored(objects);
}
