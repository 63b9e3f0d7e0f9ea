/** Judges objects of a resource where they are written, with the very steps that the API server takes: read, default, check, rules. */
import type { FieldError, Json } from "@capstan/model";
import { compileResource } from "../structural/resource.ts";
import type { CompiledResource } from "../structural/resource.ts";
import { invalid } from "../structural/field-error.ts";
import { isJsonObject, readSchema } from "../structural/schema.ts";
import { toScale } from "./crd.ts";
import type { VersionFacts } from "./version-facts.ts";

/** What is wrong with an object; with the object that it replaces, rules over changes count too. Empty: the server would take it. */
export type Validate = (object: object, old?: object) => readonly FieldError[];

interface Described {
  readonly group: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: { readonly [version: string]: VersionFacts };
}

/** The check of a resource. Schemas and rules are compiled when they are first needed. */
export function validating(resource: Described): Validate {
  const compiled = new Map<string, CompiledResource>();
  return (object, old) => {
    const placed = inNamespace(object, resource.scope);
    const given = old === undefined ? named(placed) : placed;
    const version = versionOf(given);
    const facts = Object.hasOwn(resource.versions, version) ? resource.versions[version] : undefined;
    if (facts === undefined) return [unknownVersion(given, resource)];
    let judge = compiled.get(version);
    if (judge === undefined) compiled.set(version, (judge = compile(resource, facts)));
    const read = judge.decode(given);
    if ("problem" in read) return [invalid(undefined, null, read.problem)];
    const complete = judge.applyDefaults(read.object);
    return old === undefined
      ? judge.validate(complete)
      : judge.validateUpdate(complete, inNamespace(old, resource.scope));
  };
}

function compile({ group, kind, scope }: Described, { name, schema, scale }: VersionFacts): CompiledResource {
  // A JSON schema is JSON, which its type cannot say because optional keywords may be undefined.
  const structural = readSchema(schema as unknown as Json);
  const names = { group, version: name, kind, namespaced: scope === "Namespaced" };
  return compileResource(structural, scale === undefined ? names : { ...names, scale: toScale(scale) });
}

/** The request's path names the namespace of an object that does not; which one makes no difference here. */
function inNamespace(object: object, scope: Described["scope"]): Json {
  const json = object as Json;
  if (scope === "Cluster" || !isJsonObject(json)) return json;
  const { metadata } = json;
  return isJsonObject(metadata ?? null)
    ? { ...json, metadata: { namespace: "default", ...(metadata as object) } }
    : json;
}

/** How many letters of a prefix a server keeps, and how many it adds: as many as a name that is a label may have. */
const KEPT_OF_PREFIX = 58;
const ADDED = "xxxxx";

/** A new object that leaves its name to the server: it has one by the time it is judged. Which one makes no difference here. */
function named(object: Json): Json {
  if (!isJsonObject(object) || !isJsonObject(object["metadata"] ?? null)) return object;
  const metadata = object["metadata"] as { readonly [field: string]: Json };
  const { name, generateName } = metadata;
  if ((name ?? "") !== "" || typeof generateName !== "string" || generateName === "") return object;
  return { ...object, metadata: { ...metadata, name: `${generateName.slice(0, KEPT_OF_PREFIX)}${ADDED}` } };
}

function versionOf(object: Json): string {
  const apiVersion = isJsonObject(object) ? object["apiVersion"] : undefined;
  return typeof apiVersion === "string" ? (apiVersion.split("/")[1] ?? "") : "";
}

function unknownVersion(object: Json, { group, versions }: Described): FieldError {
  const known = Object.keys(versions).map((version) => `${group}/${version}`);
  const given = isJsonObject(object) ? (object["apiVersion"] ?? "") : "";
  return invalid("apiVersion", given, `must be ${known.join(" or ")}`);
}
