/** Objects as YAML: the same objects give the same bytes. */
import { stringify } from "yaml";

/** One document. */
export function toYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

/** Several documents in one file. */
export function toYamlStream(values: readonly unknown[]): string {
  return values.map(toYaml).join("---\n");
}
