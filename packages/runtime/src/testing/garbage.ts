/** The garbage collector of a test world: deletes children whose owners do not exist. */
import { isApiError } from "@capstan/client";
import type { StoredObject } from "@capstan/model";
import { kindId } from "../api.ts";
import type { AnyKind, Api } from "../api.ts";
import type { OperatorDefinition } from "../manager/operator.ts";

interface Found {
  readonly kind: AnyKind;
  readonly object: StoredObject;
}

/** Deletes until nothing is left to delete: a deleted child may own others. An owner of a kind that the operator does not use exists. */
export async function collectGarbage(api: Api, { controllers }: OperatorDefinition): Promise<void> {
  const kinds = new Map(controllers.flatMap(({ kind, owns }) => [kind, ...owns]).map((kind) => [kindId(kind), kind]));
  for (;;) {
    const found = await listAll(api, [...kinds.values()]);
    const uids = new Set(found.map(({ object }) => object.metadata.uid));
    const known = new Set([...kinds.values()].map(({ group, kind }) => `${group} ${kind}`));
    const orphans = found.filter(({ object }) => isOrphan(object, uids, known));
    if (orphans.length === 0) return;
    for (const { kind, object } of orphans) await remove(api, kind, object);
  }
}

async function listAll(api: Api, kinds: readonly AnyKind[]): Promise<readonly Found[]> {
  const found: Found[] = [];
  for (const kind of kinds) {
    const { items } = await api.list(kind, {});
    found.push(...items.map((object) => ({ kind, object })));
  }
  return found;
}

/** An object that waits for its finalizers is deleted already. */
function isOrphan({ metadata }: StoredObject, uids: ReadonlySet<string>, known: ReadonlySet<string>): boolean {
  const { ownerReferences = [], deletionTimestamp } = metadata;
  if (ownerReferences.length === 0 || deletionTimestamp !== undefined) return false;
  return ownerReferences.every(({ apiVersion, kind, uid }) => {
    const [group = ""] = apiVersion.includes("/") ? apiVersion.split("/", 1) : [""];
    return known.has(`${group} ${kind}`) && !uids.has(uid);
  });
}

async function remove(api: Api, kind: AnyKind, { metadata }: StoredObject): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  await api.delete(kind, { namespace, name }, { uid }).catch((error: unknown) => {
    if (!isApiError(error, "NotFound", "Conflict")) throw error;
  });
}
