/** JSON text in other forms. */
import { toGoJson } from "@capstan/model";

/** JSON with two spaces of indentation and no newline at the end, the way kube-apiserver prints for people. */
export function toPrettyJson(json: string): string {
  const pretty = JSON.stringify(JSON.parse(json), undefined, 2);
  return pretty.replace(/[<>&\u2028\u2029]/g, (character) => toGoJson(character).slice(1, -1));
}
