/** Checks objects in a file against the schemas of a program: a cluster rejects a sample for an earlier schema. */
import { fieldErrors, type Json } from "@capstan/model";
import { applyDefaults, compileValidator, prune, readSchema, type Resource } from "@capstan/schema";
import { CliError } from "../errors.ts";
import { readYaml } from "./yaml.ts";

/** The used fields of a kind. */
type Described = Pick<Resource, "group" | "kind" | "versions">;

/** The fields that a server would reject or drop, one sentence each; objects of other kinds are skipped. */
export function sampleProblems(text: string, name: string, resources: readonly Described[]): readonly string[] {
  try {
    return readYaml(text, name).flatMap((object) => problemsOf(object as Json, resources));
  } catch (error) {
    if (error instanceof CliError) return [error.message];
    throw error;
  }
}

function problemsOf(object: Json, resources: readonly Described[]): readonly string[] {
  if (typeof object !== "object" || object === null || Array.isArray(object)) return [];
  const { apiVersion, kind } = object as { readonly apiVersion?: unknown; readonly kind?: unknown };
  for (const { group, versions, ...resource } of resources) {
    const version = Object.keys(versions).find((one) => apiVersion === `${group}/${one}`);
    const raw = version === undefined ? undefined : versions[version]?.schema;
    if (resource.kind !== kind || raw === undefined) continue;
    const schema = readSchema(raw as unknown as Json);
    const { value, unknown } = prune(object, schema, true);
    const refused = compileValidator(schema)(applyDefaults(value, schema)).map((problem) =>
      fieldErrors.format(problem),
    );
    return [...refused, ...unknown.map((field) => `${field}: ${String(kind)} has no such field`)];
  }
  return [];
}
