/** The properties of a bundle: its package and version, the kinds that it provides and requires, and what its metadata declare. */
import { type Json, toGoJson } from "@capstan/model";
import { decode } from "../decode/decode.ts";
import { compareText, isObject, type JsonObject, toSortedJson } from "../decode/json.ts";
import { parseYaml } from "../decode/yaml.ts";
import { type BundleFiles, filesIn, toText } from "../read/files.ts";
import type { BundleMetadata } from "../read/metadata.ts";
import { textAt } from "../read/object.ts";
import { propertyTypes } from "./blobs.ts";
import { CatalogError } from "./errors.ts";
import { toGoValue } from "./go-value.ts";
import type { Property } from "./model.ts";

/** What the properties come from. */
export interface PropertySource {
  readonly files: BundleFiles;
  readonly objects: readonly JsonObject[];
  readonly csv: JsonObject;
  readonly metadata: BundleMetadata;
  readonly version: string;
}

/** The properties in the order in which `opm render` writes them: by type, then by value; each once. */
export function readBundleProperties(source: PropertySource): Property[] {
  const declared = [...declaredProperties(source.files), ...annotatedProperties(source.csv)];
  const own = declared.filter(({ type }) => type !== "olm.package" && type !== "olm.gvk");
  const all = [
    packageOf(source, declared),
    ...declared.filter(({ type }) => type === "olm.gvk").map(typed),
    ...providedKinds(source).map((value) => ({ type: "olm.gvk", value })),
    ...requiredKinds(source.csv).map((value) => ({ type: "olm.gvk.required", value })),
    ...source.metadata.dependencies.map(toRequirement),
    ...own,
  ];
  const byKey = new Map(all.map((property) => [`${property.type} ${toGoJson(property.value as Json)}`, property]));
  return [...byKey].sort(([a], [b]) => compareText(a, b)).map(([, property]) => property);
}

function bad(problem: string): CatalogError {
  return new CatalogError("BadReference", problem);
}

/** The last package property that is declared, or the one of the annotations. */
function packageOf({ metadata, csv, version }: PropertySource, declared: readonly Property[]): Property {
  const given = declared.findLast(({ type }) => type === "olm.package");
  if (given !== undefined && metadata.package === "") return typed(given);
  const release = textAt(csv, "spec", "release");
  const value = { packageName: metadata.package, version, ...(release === "" ? {} : { release }) };
  return { type: "olm.package", value };
}

/** A property with the fields of its type only. */
function typed({ type, value }: Property): Property {
  const found = propertyTypes[type];
  if (found === undefined) return { type, value };
  const { value: decoded, problem } = decode(value as Json, found, "json");
  if (problem !== undefined) throw bad(`parse property of type "${type}": ${problem}`);
  const fields = toGoValue(decoded, found);
  const all = { group: "", kind: "", version: "", ...(isObject(fields) ? fields : {}) };
  return { type, value: type.startsWith("olm.gvk") ? all : fields };
}

/** The first file of the metadata with properties. */
function declaredProperties(files: BundleFiles): Property[] {
  for (const [, bytes] of filesIn(files, "metadata")) {
    const parsed = parseYaml(toText(bytes));
    const found = parsed.ok && isObject(parsed.value) ? toProperties(parsed.value["properties"] ?? null) : [];
    if (found.length > 0) return found;
  }
  return [];
}

/** Properties that an annotation of the ClusterServiceVersion has as JSON; those that are no JSON are left out. */
function annotatedProperties(csv: JsonObject): Property[] {
  try {
    return toProperties(JSON.parse(textAt(csv, "metadata", "annotations", "olm.properties")) as Json);
  } catch {
    return [];
  }
}

function toProperties(value: Json): Property[] {
  if (!Array.isArray(value)) return [];
  return (value as readonly Json[]).flatMap((item) => {
    const type = isObject(item) ? item["type"] : undefined;
    return typeof type === "string" && isObject(item) ? [{ type, value: toSortedJson(item["value"] ?? null) }] : [];
  });
}

/** A dependency as a requirement. Types without a meaning here stay as they are. */
function toRequirement({ type, value = null }: { readonly type: string; readonly value?: Json }): Property {
  const known = typed({ type, value: toSortedJson(value) });
  if (type === "olm.gvk") return { type: "olm.gvk.required", value: known.value };
  if (type !== "olm.package") return known;
  const { packageName = "", version = "" } = isObject(known.value) ? known.value : {};
  return { type: "olm.package.required", value: { packageName, versionRange: version } };
}

/** A kind, with its keys in the order in which they are written. */
interface Gvk {
  readonly group: string;
  readonly kind: string;
  readonly version: string;
}

/** The kinds of the CRDs in the bundle, and of the aggregated APIs that it serves. */
function providedKinds({ objects, csv }: PropertySource): Gvk[] {
  const provided = [...objects.flatMap(kindsOfCrd), ...apiServices(csv, "owned")];
  for (const owned of definitions(csv, "customresourcedefinitions", "owned")) {
    const wanted = kindOfDefinition(owned);
    if (!provided.some((one) => toGoJson({ ...one }) === toGoJson({ ...wanted })))
      throw bad(
        `error checking provided apis in bundle ${textAt(csv, "metadata", "name")}: couldn't find ` +
          `${wanted.group}/${wanted.version}/${wanted.kind} (${textAt(owned, "name")}) in bundle. ` +
          `found: [${provided.map(({ group, version, kind }) => `${group}/${version}/${kind}`).join(" ")}]`,
      );
  }
  return provided;
}

function kindsOfCrd(object: JsonObject): Gvk[] {
  if (object["kind"] !== "CustomResourceDefinition") return [];
  const group = textAt(object, "spec", "group");
  const kind = textAt(object, "spec", "names", "kind");
  const spec = isObject(object["spec"]) ? object["spec"] : {};
  const listed = Array.isArray(spec["versions"]) ? (spec["versions"] as readonly Json[]) : [];
  const versions = listed.map((version) => (isObject(version) ? textAt(version, "name") : ""));
  const old = object["apiVersion"] === "apiextensions.k8s.io/v1beta1" ? textAt(object, "spec", "version") : "";
  return [...versions, ...(old === "" ? [] : [old])].map((version) => ({ group, kind, version }));
}

function requiredKinds(csv: JsonObject): Gvk[] {
  return [
    ...definitions(csv, "customresourcedefinitions", "required").map(kindOfDefinition),
    ...apiServices(csv, "required"),
  ];
}

/** The group of a CRD is in its name: plural.group. */
function kindOfDefinition(definition: JsonObject): Gvk {
  const name = textAt(definition, "name");
  const dot = name.indexOf(".");
  if (dot === -1) throw bad(`couldn't parse plural.group from crd name: ${name}`);
  return { group: name.slice(dot + 1), kind: textAt(definition, "kind"), version: textAt(definition, "version") };
}

function apiServices(csv: JsonObject, which: "owned" | "required"): Gvk[] {
  return definitions(csv, "apiservicedefinitions", which).map((api) => ({
    group: textAt(api, "group"),
    kind: textAt(api, "kind"),
    version: textAt(api, "version"),
  }));
}

function definitions(csv: JsonObject, what: string, which: "owned" | "required"): JsonObject[] {
  const spec = isObject(csv["spec"]) ? csv["spec"] : {};
  const all = isObject(spec[what]) ? spec[what] : {};
  const listed = Array.isArray(all[which]) ? (all[which] as readonly Json[]) : [];
  return listed.filter(isObject);
}
