/** Keeps an object until its cleanup has run: the finalizer is set before the first reconcile and removed after the last. */
import { keyOf } from "@capstan/model";
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { Writer } from "../apply/writer.ts";

/** Whether an object carries one of these finalizers. */
export function hasFinalizer({ metadata }: StoredObject, ...names: readonly string[]): boolean {
  return metadata.finalizers?.some((finalizer) => names.includes(finalizer)) === true;
}

/** Adds a finalizer unless it exists. The resourceVersion protects the finalizers of other controllers. */
export async function addFinalizer(
  writer: Writer,
  kind: AnyKind,
  object: StoredObject,
  name: string,
): Promise<StoredObject> {
  if (hasFinalizer(object, name)) return object;
  return await writeFinalizers(writer, kind, object, [...(object.metadata.finalizers ?? []), name]);
}

/** Removes finalizers, so that the object can be deleted. */
export async function removeFinalizer(
  writer: Writer,
  kind: AnyKind,
  object: StoredObject,
  ...names: readonly string[]
): Promise<StoredObject> {
  if (!hasFinalizer(object, ...names)) return object;
  const others = object.metadata.finalizers?.filter((finalizer) => !names.includes(finalizer)) ?? [];
  return await writeFinalizers(writer, kind, object, others);
}

/** Replaces finalizers by others, or removes them; writes nothing if nothing changes. */
export async function replaceFinalizers(
  writer: Writer,
  kind: AnyKind,
  object: StoredObject,
  nameFor: (name: string) => string | undefined,
): Promise<void> {
  const { finalizers = [] } = object.metadata;
  if (finalizers.every((name) => nameFor(name) === name)) return;
  await writeFinalizers(writer, kind, object, [...new Set(finalizers.flatMap((name) => nameFor(name) ?? []))]);
}

async function writeFinalizers(
  writer: Writer,
  kind: AnyKind,
  object: StoredObject,
  finalizers: readonly string[],
): Promise<StoredObject> {
  const { uid, resourceVersion } = object.metadata;
  return await writer.patch(kind, keyOf(object), {
    body: { metadata: { uid, resourceVersion, finalizers } },
    part: "object",
  });
}
