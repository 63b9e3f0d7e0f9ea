/** Keeps an object from vanishing before its cleanup has run: the mark is set before the first reconcile and removed after the last. */
import { keyOf } from "@capstan/model";
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { Writer } from "../apply/writer.ts";

/** Whether an object carries one of these finalizers. */
export function hasFinalizer({ metadata }: StoredObject, ...names: readonly string[]): boolean {
  return metadata.finalizers?.some((finalizer) => names.includes(finalizer)) === true;
}

/** Sets a finalizer unless it is there. The version guards the finalizers of others. */
export async function addFinalizer(
  writer: Writer,
  kind: AnyKind,
  object: StoredObject,
  name: string,
): Promise<StoredObject> {
  if (hasFinalizer(object, name)) return object;
  return await writeFinalizers(writer, kind, object, [...(object.metadata.finalizers ?? []), name]);
}

/** Removes finalizers: as far as they go, so may the object. */
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

/** Puts other finalizers in the place of some, or none; writes nothing where each stays what it is. */
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
