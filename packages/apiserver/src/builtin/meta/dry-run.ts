/** Trial runs: what may be said about them. */
import { fieldErrors, type FieldError } from "@capstan/model";

/** Only `All` is known. */
export function checkDryRun(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === "All") ? [] : [fieldErrors.notSupported("dryRun", dryRun, ["All"])];
}
