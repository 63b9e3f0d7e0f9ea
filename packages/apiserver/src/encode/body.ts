/** Values as bodies: JSON, pretty JSON, YAML. */
import { toGoJson } from "@capstan/model";
import { stringify } from "yaml";

/** JSON with two spaces of indentation and no newline at the end, the way kube-apiserver prints for people. */
export function toPrettyJson(json: string): string {
  return escapeForGo(JSON.stringify(JSON.parse(json), undefined, 2));
}

/** YAML with sorted keys, the way kube-apiserver writes it. */
export function toYaml(json: string): string {
  return stringify(JSON.parse(json), { sortMapEntries: true, indentSeq: false, lineWidth: 80 });
}

/** The same escapes that compact JSON has. */
function escapeForGo(text: string): string {
  return text.replace(/[<>&\u2028\u2029]/g, (character) => toGoJson(character).slice(1, -1));
}
