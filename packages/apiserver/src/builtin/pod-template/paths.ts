/** Paths inside volumes: relative, without `..`. */
import { fieldErrors, type FieldError } from "@capstan/model";

/** Rejects a path with `..`. */
export function checkNoBacksteps(value: string, path: string): FieldError[] {
  return value.split("/").includes("..") ? [fieldErrors.invalid(path, value, "must not contain '..'")] : [];
}

/** Requires a relative path without `..`. */
export function checkDescending(value: string, path: string): FieldError[] {
  const absolute = value.startsWith("/") ? [fieldErrors.invalid(path, value, "must be a relative path")] : [];
  return [...absolute, ...checkNoBacksteps(value, path)];
}

/** Requires a relative path that does not begin with `..`: volumes use such names internally. */
export function checkLocalPath(value: string, path: string): FieldError[] {
  const errors = checkDescending(value, path);
  if (!value.startsWith("..") || value.startsWith("../")) return errors;
  return [...errors, fieldErrors.invalid(path, value, "must not start with '..'")];
}

/** Requires a file mode from 0 to 0777. */
export function checkFileMode(mode: number | undefined, path: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= 0o777)) return [];
  return [fieldErrors.invalid(path, mode, "must be a number between 0 and 0777 (octal), both inclusive")];
}
