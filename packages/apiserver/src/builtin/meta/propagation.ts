/** Validation of the propagation policy of deletions. */
import { fieldErrors, type FieldError } from "@capstan/model";

const propagations = ["Foreground", "Background", "Orphan"];

/** Checks orphanDependents and propagationPolicy, which are mutually exclusive. */
export function checkPropagation({
  orphanDependents,
  propagationPolicy,
}: {
  readonly orphanDependents?: boolean | undefined;
  readonly propagationPolicy?: string | undefined;
}): FieldError[] {
  const errors: FieldError[] = [];
  if (propagationPolicy === undefined) return errors;
  if (orphanDependents !== undefined) {
    const why = "orphanDependents and deletionPropagation cannot be both set";
    errors.push(fieldErrors.invalid("propagationPolicy", fieldErrors.named(propagationPolicy), why));
  }
  if (!propagations.includes(propagationPolicy)) {
    errors.push(fieldErrors.notSupportedName("propagationPolicy", propagationPolicy, [...propagations, "nil"]));
  }
  return errors;
}
