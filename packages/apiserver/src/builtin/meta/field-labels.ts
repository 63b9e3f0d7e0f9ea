/** Words for fields that a field selector may not name. */
import { quote } from "@capstan/model";

/** What is said where only the fields that all kinds have can be selected by. */
export function onlyCommonFields(field: string): string {
  return `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
