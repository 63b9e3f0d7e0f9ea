/** Finalizers of a namespace's spec: a name without a prefix must be a standard one. */
import { checkQualifiedName, fieldErrors, type FieldError } from "@capstan/model";
import { invalidEach } from "./checks.ts";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function checkStandard(name: string, path: string): FieldError[] {
  if (name.includes("/") || standardFinalizers.has(name)) return [];
  return [fieldErrors.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

/** Requires a qualified name, and a standard one if it does not have a prefix. */
export function checkFinalizerName(name: string, path: string): FieldError[] {
  return [...invalidEach(path, name, checkQualifiedName(name)), ...checkStandard(name, path)];
}
