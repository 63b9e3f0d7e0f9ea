/** Whether the descriptors of a ClusterServiceVersion refer to existing fields. */
import type { Descriptor } from "../csv.ts";
import { isObject, type JsonObject } from "../decode/json.ts";
import type { Bundle } from "../read/bundle.ts";
import { textAt } from "../read/object.ts";
import { versionsOf } from "./example-objects.ts";

/** One sentence for each descriptor that describes nothing. */
export function strayDescriptors({ csv, crds }: Bundle): string[] {
  return (csv.spec?.customresourcedefinitions?.owned ?? []).flatMap(
    ({ name = "", version = "", specDescriptors, statusDescriptors }) => {
      const crd = crds.find(({ value }) => textAt(value, "metadata", "name") === name)?.value;
      const spec = isObject(crd?.["spec"]) ? crd["spec"] : {};
      const found = versionsOf(spec).find((one) => textAt(one, "name") === version);
      const schema = isObject(found?.["schema"]) ? found["schema"]["openAPIV3Schema"] : undefined;
      if (!isObject(schema)) return [];
      return [
        ...stray(specDescriptors, { schema: below(schema, "spec"), what: "spec", name }),
        ...stray(statusDescriptors, { schema: below(schema, "status"), what: "status", name }),
      ];
    },
  );
}

interface Described {
  readonly schema: JsonObject | undefined;
  readonly what: string;
  readonly name: string;
}

function stray(descriptors: readonly Descriptor[] = [], { schema, what, name }: Described): string[] {
  return descriptors
    .filter(({ path = "" }) => path !== "" && schema !== undefined && !hasPath(schema, partsOf(path)))
    .map(({ path }) => `the ${what} descriptor ${path} of ${name} describes a field that the CRD does not have`);
}

/** `a.b[0].c` is a, b, any item, c. */
function partsOf(path: string): string[] {
  return path
    .replace(/\[[^\]]*\]/g, ".[]")
    .split(".")
    .filter((part) => part !== "");
}

function hasPath(schema: JsonObject, [first, ...rest]: readonly string[]): boolean {
  if (first === undefined || schema["x-kubernetes-preserve-unknown-fields"] === true) return true;
  if (first === "[]" && schema["items"] === undefined) return hasPath(schema, rest);
  const next = first === "[]" ? asObject(schema["items"]) : below(schema, first);
  if (next !== undefined) return hasPath(next, rest);
  const extra = asObject(schema["additionalProperties"]);
  return extra === undefined ? false : hasPath(extra, rest);
}

function below(schema: JsonObject, name: string): JsonObject | undefined {
  return asObject(asObject(schema["properties"])?.[name]);
}

function asObject(value: JsonObject[string] | undefined): JsonObject | undefined {
  return isObject(value) ? value : undefined;
}
