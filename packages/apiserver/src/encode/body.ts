/** JSON text in other forms. */
import { parseExactJson, toGoJson } from "@capstan/model";

/** JSON with two spaces of indentation and no newline at the end, the way kube-apiserver prints for people. */
export function toPrettyJson(json: string): string {
  return toGoJson(parseExactJson(json), 2);
}
