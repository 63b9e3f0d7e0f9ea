/** Validation of `dryRun`. */
import { fieldErrors, type FieldError } from "@capstan/model";

/** Only `All` is allowed. */
export function checkDryRun(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === "All") ? [] : [fieldErrors.notSupported("dryRun", dryRun, ["All"])];
}
