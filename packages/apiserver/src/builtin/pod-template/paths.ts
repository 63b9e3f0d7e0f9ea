/** Paths of files inside volumes: relative, without steps back. */
import { fieldErrors, type FieldError } from "@capstan/model";

/** A path without a step back. */
export function checkNoBacksteps(value: string, path: string): FieldError[] {
  return value.split("/").includes("..") ? [fieldErrors.invalid(path, value, "must not contain '..'")] : [];
}

/** A relative path without a step back. */
export function checkDescending(value: string, path: string): FieldError[] {
  const absolute = value.startsWith("/") ? [fieldErrors.invalid(path, value, "must be a relative path")] : [];
  return [...absolute, ...checkNoBacksteps(value, path)];
}

/** A relative path that does not begin with two dots: such names are kept for the volumes themselves. */
export function checkLocalPath(value: string, path: string): FieldError[] {
  const errors = checkDescending(value, path);
  if (!value.startsWith("..") || value.startsWith("../")) return errors;
  return [...errors, fieldErrors.invalid(path, value, "must not start with '..'")];
}

/** The mode of a file: from 0 to 0777. */
export function checkFileMode(mode: number | undefined, path: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [fieldErrors.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}
