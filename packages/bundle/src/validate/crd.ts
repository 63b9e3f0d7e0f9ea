/** The rules of CRDs: those of kube-apiserver, but for what lies below a schema, which OLM leaves to the server. */
import type { FieldError } from "@capstan/model";
import { validateCustomResourceDefinition } from "@capstan/schema";
import type { Bundle } from "../read/bundle.ts";
import { textAt } from "../read/object.ts";
import type { JsonObject } from "../decode/json.ts";
import { type Finding, finding } from "./finding.ts";
import { fromOldCrd, withDefaults } from "./old-crd.ts";

/** What is wrong with the CRDs of a bundle. */
export function validateCrds({ crds, oldCrds }: Pick<Bundle, "crds" | "oldCrds">): Finding[] {
  return [...crds.map(({ value }) => withDefaults(value)), ...oldCrds.map(({ value }) => fromOldCrd(value))].flatMap(
    crdFindings,
  );
}

function crdFindings(crd: JsonObject): Finding[] {
  return validateCustomResourceDefinition(crd)
    .filter(({ field }) => !field.includes("openAPIV3Schema") && !field.includes("status"))
    .map((error) =>
      finding("Error", error.type, `${error.field}: ${error.body}`, { field: error.field, value: shownValue(error) }),
    );
}

/** What the server would say about schemas, which other tools drop. */
export function droppedSchemaErrors({ crds }: Pick<Bundle, "crds">): string[] {
  return crds.flatMap(({ value }) =>
    validateCustomResourceDefinition(withDefaults(value))
      .filter(({ field }) => field.includes("openAPIV3Schema"))
      .map(
        (error) =>
          `the server would refuse the CRD ${textAt(value, "metadata", "name")}: ${error.field}: ${error.body}`,
      ),
  );
}

/** The value as `%v` prints it, taken from the sentence, which has it as JSON. */
function shownValue({ type, body }: FieldError): string {
  if (type === "FieldValueRequired" || type === "FieldValueForbidden") return "";
  if (type === "FieldValueTooLong" || type === "FieldValueTooShort") return "<value omitted>";
  const start = body.indexOf(": ") + 2;
  const json = /^"(?:[^"\\]|\\.)*"|^\[.*?\]|^[^:]*/s.exec(body.slice(start))?.[0] ?? "";
  return formatGo(json);
}

function formatGo(json: string): string {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === "string") return value;
    // A list that is missing is an empty one.
    if (value === null) return "[]";
    return Array.isArray(value) && value.every((one) => typeof one !== "object") ? `[${value.join(" ")}]` : json;
  } catch {
    return json;
  }
}
