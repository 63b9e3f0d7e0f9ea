/** Puts the schemas of a program into CRDs that people keep by hand: everything else in their files stays as it is, comments too. */
import { isMap, parseAllDocuments, type Document } from "yaml";
import { ScaffoldError } from "../errors.ts";
import type { Program } from "./program.ts";

/** A file with its schemas patched, and what was found in it. */
export interface PatchedCrds {
  readonly text: string;
  /** `plural.group/version` of the schemas that were put in. */
  readonly patched: readonly string[];
  /** Versions that the program has and the CRDs of this file lack. */
  readonly lacking: readonly string[];
}

/** Patches the CRDs in a text of YAML. CRDs of other programs, and objects of other kinds, are left alone. */
export function patchSchemas(text: string, program: Program): PatchedCrds {
  const documents = parseAllDocuments(text);
  if (!Array.isArray(documents)) return { text, patched: [], lacking: [] };
  const broken = documents.find(({ errors }) => errors.length > 0)?.errors[0];
  if (broken !== undefined) throw new ScaffoldError("BadCrd", `it is no YAML: ${broken.message.split("\n", 1)[0]}`);
  const found = documents.map((document) => patchOne(document, program));
  const patched = found.flatMap((one) => one.patched);
  const lacking = found.flatMap((one) => one.lacking);
  return { text: patched.length === 0 ? text : documents.map((one) => print(one)).join(""), patched, lacking };
}

function print(document: Document.Parsed): string {
  return document.toString({ lineWidth: 0, directives: document.directives?.docStart === true });
}

function patchOne(document: Document.Parsed, { resources }: Program): Pick<PatchedCrds, "patched" | "lacking"> {
  const nothing = { patched: [], lacking: [] };
  if (!isMap(document.contents) || document.get("kind") !== "CustomResourceDefinition") return nothing;
  const name = document.getIn(["metadata", "name"]);
  const resource = resources.find(({ plural, group }) => `${plural}.${group}` === name);
  if (resource === undefined) return nothing;
  const patched: string[] = [];
  const wanted = new Map(resource.toCrd().spec.versions.map((version) => [version.name, version.schema]));
  for (let index = 0; document.hasIn(["spec", "versions", index]); index++) {
    const version = document.getIn(["spec", "versions", index, "name"]);
    const schema = typeof version === "string" ? wanted.get(version) : undefined;
    if (schema === undefined) continue;
    document.setIn(["spec", "versions", index, "schema"], document.createNode(schema));
    patched.push(`${String(name)}/${String(version)}`);
  }
  const all = [...wanted.keys()].map((version) => `${String(name)}/${version}`);
  return { patched, lacking: all.filter((one) => !patched.includes(one)) };
}
