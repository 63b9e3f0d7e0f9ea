/** Whether the examples of a bundle would be taken by a server that has the bundle's CRDs. */
import type { Json } from "@capstan/model";
import { fieldErrors } from "@capstan/model";
import { type CompiledResource, compileResource, readSchema } from "@capstan/schema";
import { isObject, type JsonObject } from "../decode/json.ts";
import { jsonProblem } from "../decode/json-syntax.ts";
import type { Bundle } from "../read/bundle.ts";
import { kindOf, textAt } from "../read/object.ts";
import { readExamples } from "./examples.ts";

/** One sentence for each example that a server would refuse. */
export function brokenExamples(bundle: Bundle): string[] {
  const text = bundle.csv.metadata?.annotations?.["alm-examples"] ?? "";
  if (text === "" || jsonProblem(text) !== undefined) return [];
  const read = readExamples(text);
  return "problem" in read ? [] : read.examples.flatMap((example) => exampleProblems(example, bundle));
}

function exampleProblems(example: JsonObject, { crds }: Bundle): string[] {
  const { group, version, kind } = kindOf(example);
  for (const { value } of crds) {
    const spec = isObject(value["spec"]) ? value["spec"] : {};
    if (textAt(spec, "group") !== group || textAt(spec, "names", "kind") !== kind) continue;
    const found = versionsOf(spec).find((one) => textAt(one, "name") === version);
    const schema = isObject(found?.["schema"]) ? found["schema"]["openAPIV3Schema"] : undefined;
    if (schema === undefined) continue;
    const namespaced = textAt(spec, "scope") === "Namespaced";
    return judge(compileResource(readSchema(schema), { group, version, kind, namespaced }), example, namespaced);
  }
  return [];
}

/** The versions of a CRD's spec. */
export function versionsOf(spec: JsonObject): JsonObject[] {
  const versions = spec["versions"];
  return Array.isArray(versions) ? (versions as readonly Json[]).filter(isObject) : [];
}

function judge(resource: CompiledResource, example: JsonObject, namespaced: boolean): string[] {
  const name = textAt(example, "metadata", "name");
  const what = `the example ${textAt(example, "kind")} ${name}`;
  try {
    const given = isObject(example["metadata"]) ? example["metadata"] : {};
    const { namespace, ...metadata } = given;
    const placed = namespaced ? { namespace: namespace ?? "default", ...metadata } : metadata;
    const read = resource.decode({ ...example, metadata: placed });
    if ("problem" in read) return [`${what} would be refused: ${read.problem}`];
    const unknown = read.unknown.length > 0 ? [`${what} has unknown fields: ${read.unknown.join(", ")}`] : [];
    const errors = resource.validate(resource.applyDefaults(read.object));
    return errors.length === 0 ? unknown : [...unknown, `${what} would be refused: ${fieldErrors.formatAll(errors)}`];
  } catch {
    // Another validator reports a schema that cannot be compiled.
    return [];
  }
}
