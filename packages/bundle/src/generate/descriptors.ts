/** Descriptions of kinds and fields from their schemas, which consoles show in forms. */
import type { Json } from "@capstan/model";
import { compareText, isObject, type JsonObject } from "../decode/json.ts";
import { textAt } from "../read/object.ts";
import { listAt, type Manifest, nameOf, specOf } from "./manifest.ts";

/** How deep fields are described; deeper fields do not help in a form. */
const depth = 3;

/** Descriptions of a kind besides its CRD. */
export interface KindDescription {
  readonly displayName?: string;
  /** What the operator makes for objects of the kind. */
  readonly resources?: readonly { readonly kind: string; readonly version: string; readonly name?: string }[];
}

/** The descriptions of a CRD, one for each version; what a person wrote about one is kept. */
export function describeCrd(crd: Manifest, written: readonly JsonObject[], words: KindDescription = {}): JsonObject[] {
  const spec = specOf(crd);
  const kind = textAt(spec, "names", "kind");
  return listAt(spec, "versions").map((version) => {
    const name = textAt(version, "name");
    const schema = schemaOf(version);
    const own =
      written.find((one) => one["name"] === nameOf(crd) && one["version"] === name && one["kind"] === kind) ?? {};
    const description =
      textAt(schema, "description") || `${words.displayName ?? toTitle(kind)} of ${textAt(spec, "group")}`;
    const generated: JsonObject = {
      description,
      displayName: words.displayName ?? toTitle(kind),
      kind,
      name: nameOf(crd),
      ...(words.resources === undefined || words.resources.length === 0
        ? {}
        : {
            resources: words.resources.map((one) => ({ kind: one.kind, name: one.name ?? "", version: one.version })),
          }),
      specDescriptors: describeFields(below(schema, "spec"), "spec"),
      statusDescriptors: describeFields(below(schema, "status"), "status"),
      version: name,
    };
    return withoutEmpty({ ...generated, ...own });
  });
}

function schemaOf(version: JsonObject): JsonObject {
  const schema = version["schema"];
  const found = isObject(schema) ? schema["openAPIV3Schema"] : undefined;
  return isObject(found) ? found : {};
}

function below(schema: JsonObject, name: string): JsonObject {
  const properties = schema["properties"];
  const found = isObject(properties) ? properties[name] : undefined;
  return isObject(found) ? found : {};
}

function withoutEmpty(value: JsonObject): JsonObject {
  const entries = Object.entries(value).filter(([, one]) => !(Array.isArray(one) && one.length === 0));
  return Object.fromEntries(entries.sort(([a], [b]) => compareText(a, b)));
}

function describeFields(schema: JsonObject, part: "spec" | "status", path = "", level = 1): JsonObject[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  return Object.entries(properties)
    .sort(([a], [b]) => compareText(a, b))
    .flatMap(([name, property]) => {
      if (!isObject(property)) return [];
      const here = path === "" ? name : `${path}.${name}`;
      const hints = hintsOf(name, property, part);
      const one: JsonObject = {
        description: textAt(property, "description") || toTitle(name),
        displayName: textAt(property, "title") || toTitle(name),
        path: here,
        ...(hints.length > 0 ? { "x-descriptors": hints } : {}),
      };
      return [one, ...(level < depth ? describeFields(property, part, here, level + 1) : [])];
    });
}

const form = "urn:alm:descriptor:com.tectonic.ui";

/** How a console shows a field. */
function hintsOf(name: string, property: JsonObject, part: "spec" | "status"): string[] {
  if (part === "status" && name === "conditions") return ["urn:alm:descriptor:io.kubernetes.conditions"];
  const choices = property["enum"];
  if (Array.isArray(choices))
    return (choices as readonly Json[]).map(
      (choice) => `${form}:select:${typeof choice === "string" ? choice : JSON.stringify(choice)}`,
    );
  switch (property["type"]) {
    case "boolean":
      return [`${form}:booleanSwitch`];
    case "integer":
    case "number":
      return [/^(size|replicas)$/.test(name) ? `${form}:podCount` : `${form}:number`];
    case "string":
      return [`${form}:text`];
    default:
      return property["x-kubernetes-int-or-string"] === true ? [`${form}:text`] : [];
  }
}

/** `backupSchedule` is `Backup Schedule`, `memcached-operator` is `Memcached Operator`. */
export function toTitle(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1 $2")
    .split(/[\s_-]+/)
    .filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(" ");
}
