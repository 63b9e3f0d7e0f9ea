/** Formatting of JSON text. */
import { parseExactJson, toGoJson } from "@capstan/model";

/** JSON with two spaces of indentation and no newline at the end, as kube-apiserver pretty-prints. */
export function toPrettyJson(json: string): string {
  return toGoJson(parseExactJson(json), 2);
}
