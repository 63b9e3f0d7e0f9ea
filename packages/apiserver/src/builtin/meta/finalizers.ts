/** Finalizers of a namespace's spec: only those that the server knows have no prefix. */
import { checkQualifiedName, fieldErrors, type FieldError } from "@capstan/model";
import { invalidEach } from "./checks.ts";

const standardFinalizers = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

function checkStandard(name: string, path: string): FieldError[] {
  if (name.includes("/") || standardFinalizers.has(name)) return [];
  return [fieldErrors.invalid(path, name, "name is neither a standard finalizer name nor is it fully qualified")];
}

/** A finalizer of a namespace's spec: a qualified name, and a standard one if it has no prefix. */
export function checkFinalizerName(name: string, path: string): FieldError[] {
  return [...invalidEach(path, name, checkQualifiedName(name)), ...checkStandard(name, path)];
}
