/** What deletions say about dependents: which words there are, and that they are said once. */
import { fieldErrors, type FieldError } from "@capstan/model";

const propagations = ["Foreground", "Background", "Orphan"];

/** What is wrong with the options of a deletion, as far as dependents go. */
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
