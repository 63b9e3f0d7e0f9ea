/** Parses one object of a manifest, or says why it is invalid. */
import { type Json, toGoJson } from "@capstan/model";
import { isObject, type JsonObject, toSortedJson } from "../decode/json.ts";
import { parseYaml } from "../decode/yaml.ts";
import { toText } from "./files.ts";

/** An object and its file. */
export interface BundleObject {
  readonly file: string;
  readonly value: JsonObject;
}

/** An object, or the sentence that other tools say. */
export type ReadObject = { readonly value: JsonObject } | { readonly problem: string };

const decoding = "error unmarshaling JSON: while decoding JSON: ";

/** Files are queried several times but parsed once. */
const known = new WeakMap<Uint8Array, ReadObject>();

/** Reads the first document of a file as an object of some kind. */
export function readObject(bytes: Uint8Array): ReadObject {
  const read = known.get(bytes) ?? readText(toText(bytes));
  known.set(bytes, read);
  return read;
}

function readText(text: string): ReadObject {
  if (text.trim() === "") return { problem: "EOF" };
  const parsed = parseYaml(text);
  if (!parsed.ok) return { problem: `error converting YAML to JSON: yaml: ${parsed.problem}` };
  return asObject(parsed.value);
}

function asObject(value: Json): ReadObject {
  if (value !== null && !isObject(value)) {
    const what = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
    return {
      problem: `${decoding}json: cannot unmarshal ${what} into Go value of type struct { Items json.RawMessage }`,
    };
  }
  const kind = isObject(value) ? value["kind"] : undefined;
  // A version that cannot be read takes the kind with it.
  const isVersioned = isObject(value) && textAt(value, "apiVersion").split("/").length <= 2;
  if (typeof kind === "string" && kind !== "" && isVersioned) return { value };
  return { problem: `${decoding}Object 'Kind' is missing in '${toGoJson(toSortedJson(value))}'` };
}

/** A text at a path of an object, or nothing. */
export function textAt(value: JsonObject, ...path: readonly string[]): string {
  let found: Json | undefined = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return typeof found === "string" ? found : "";
}

/** Group, version and kind of an object. */
export interface GroupVersionKindText {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The kind of an object. */
export function kindOf(value: JsonObject): GroupVersionKindText {
  const apiVersion = textAt(value, "apiVersion");
  const parts = apiVersion.split("/");
  const [group, version] = parts.length === 2 ? parts : parts.length === 1 ? ["", parts[0]] : ["", ""];
  return { group: group ?? "", version: version ?? "", kind: textAt(value, "kind") };
}

/** As Go prints it: `apps/v1, Kind=Deployment`. */
export function formatKind({ group, version, kind }: GroupVersionKindText): string {
  return `${group}/${version}, Kind=${kind}`;
}
