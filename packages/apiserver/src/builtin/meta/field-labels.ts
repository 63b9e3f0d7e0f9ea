/** Error messages for unsupported field selectors. */
import { quote } from "@capstan/model";

/** The message of kinds that support only the common fields. */
export function onlyCommonFields(field: string): string {
  return `${quote(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}
