/** Keeps an object from vanishing before its cleanup has run: the mark is set before the first turn and removed after the last. */
import { keyOf } from "@capstan/model";
import type { StoredObject } from "@capstan/model";
import type { AnyKind } from "../api.ts";
import type { Writer } from "../apply/writer.ts";

/** Whether an object carries a finalizer. */
export function hasFinalizer(object: StoredObject, name: string): boolean {
  return object.metadata.finalizers?.includes(name) === true;
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

/** Removes a finalizer: the object may go now. */
export async function removeFinalizer(
  writer: Writer,
  kind: AnyKind,
  object: StoredObject,
  name: string,
): Promise<StoredObject> {
  if (!hasFinalizer(object, name)) return object;
  const others = object.metadata.finalizers?.filter((finalizer) => finalizer !== name) ?? [];
  return await writeFinalizers(writer, kind, object, others);
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
