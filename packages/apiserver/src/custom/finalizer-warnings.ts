/** Warnings about finalizers of custom objects that are valid but do not have the recommended form. */
import { checkQualifiedName, quote, type ObjectMeta } from "@capstan/model";

const standard = new Set(["orphan", "foregroundDeletion", "kubernetes"]);
const path = "metadata.finalizers";

/** A warning for each problem of each new finalizer. */
export function finalizerWarnings(metadata: ObjectMeta, old: ObjectMeta | undefined): string[] {
  const known = new Set(old?.finalizers);
  const added = [...new Set(metadata.finalizers)].filter((name) => !known.has(name)).sort();
  return added.flatMap((name) => flawsOf(name).map((flaw) => `${path}: ${quote(name)}: ${flaw}`));
}

function flawsOf(name: string): string[] {
  const flaws = [...checkQualifiedName(name)];
  if (name.includes("/") || standard.has(name)) return flaws;
  const form = name.includes(".") ? " including a path (/)" : "";
  const why = "to avoid accidental conflicts with other finalizer writers";
  return [...flaws, `prefer a domain-qualified finalizer name${form} ${why}`];
}
