/** Validates objects of a resource where they are written, with the steps of the API server: decode, default, check, rules. */
import type { FieldError, Json } from "@capstan/model";
import { compileResource } from "../structural/resource.ts";
import type { CompiledResource } from "../structural/resource.ts";
import { invalid } from "../structural/field-error.ts";
import { isJsonObject, readSchema } from "../structural/schema.ts";
import { toScale } from "./crd.ts";
import type { VersionFacts } from "./version-facts.ts";

/** The validation errors of an object; with the object that it replaces, transition rules apply too. Empty: the server would accept it. */
export type Validate = (object: object, old?: object) => readonly FieldError[];

interface Described {
  readonly group: string;
  readonly kind: string;
  readonly scope: "Namespaced" | "Cluster";
  readonly versions: { readonly [version: string]: VersionFacts };
}

/** The validator of a resource. Schemas and rules are compiled when they are first needed. */
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
  // A JSON schema is JSON, which its type cannot express because optional keywords may be undefined.
  const structural = readSchema(schema as unknown as Json);
  const names = { group, version: name, kind, namespaced: scope === "Namespaced" };
  return compileResource(structural, scale === undefined ? names : { ...names, scale: toScale(scale) });
}

/** An object without a namespace gets one from the request's path; its value does not matter here. */
function inNamespace(object: object, scope: Described["scope"]): Json {
  const json = object as Json;
  if (scope === "Cluster" || !isJsonObject(json)) return json;
  const { metadata } = json;
  return isJsonObject(metadata ?? null)
    ? { ...json, metadata: { namespace: "default", ...(metadata as object) } }
    : json;
}

/** The length of a prefix that a server keeps, and of the suffix that it adds: a label's maximum length. */
const KEPT_OF_PREFIX = 58;
const ADDED = "xxxxx";

/** A new object that leaves its name to the server has one when it is validated; its value does not matter here. */
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
