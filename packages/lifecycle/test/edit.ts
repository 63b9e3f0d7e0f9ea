/** An edit by a user, who reads the object again if the manager has written it meanwhile. */
import { isApiError } from "@capstan/client";
import type { Cluster } from "@capstan/lifecycle";
import type { Kind, KubeObject, ObjectKey } from "@capstan/model";

export async function edit<T extends KubeObject>(
  cluster: Cluster,
  kind: Kind<T>,
  { key, change }: { readonly key: ObjectKey; readonly change: (present: T) => T },
): Promise<T> {
  for (;;) {
    const before = await cluster.get(kind, key);
    if (before === undefined) throw new Error(`${kind.kind} ${key.name} does not exist`);
    try {
      return await cluster.change(kind, { before, after: change(before) });
    } catch (error) {
      if (!isApiError(error, "Conflict")) throw error;
    }
  }
}
