/** The place of an object that a test names. */
import type { AnyKind } from "../api.ts";
import type { Reference } from "../reconcile/context.ts";

/** The name and, for a namespaced kind, the namespace of an object. */
export function metadataOf(
  { scope }: AnyKind,
  reference: Reference,
  usual: string,
): { readonly name: string; readonly namespace?: string } {
  const { name, namespace } = typeof reference === "string" ? { name: reference, namespace: undefined } : reference;
  return scope === "Namespaced" ? { name, namespace: namespace ?? usual } : { name };
}
