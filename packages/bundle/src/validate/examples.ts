/** The examples of a ClusterServiceVersion: JSON, and one for each kind that it provides. */
import type { Json } from "@capstan/model";
import type { CrdDescription, Csv } from "../csv.ts";
import { isObject, type JsonObject } from "../decode/json.ts";
import { jsonProblem } from "../decode/json-syntax.ts";
import { formatKind, kindOf } from "../read/object.ts";
import { aboutCsv, type Finding, finding } from "./finding.ts";

/** What is wrong with the examples. */
export function exampleFindings(csv: Csv): Finding[] {
  const name = csv.metadata?.name ?? "";
  const annotations = csv.metadata?.annotations ?? {};
  if (Object.keys(annotations).length === 0) return [aboutCsv("Warning", name, "annotations not found")];
  const { "alm-examples": first, "olm.examples": second } = annotations;
  const text = first ?? second;
  if (text === undefined) return [aboutCsv("Warning", name, "example annotations not found")];
  const both = "both `alm-examples` and `olm.examples` are present. Checking only `alm-examples`";
  return [
    ...(first !== undefined && second !== undefined ? [aboutCsv("Warning", name, both)] : []),
    ...textFindings(text, csv),
  ];
}

function textFindings(text: string, csv: Csv): Finding[] {
  const problem = text === "" ? undefined : jsonProblem(text);
  if (problem !== undefined) return [parseError("invalid example", brokenAt(text, problem.at))];
  const read = readExamples(text);
  if ("problem" in read) return [parseError("error decoding example CustomResource", read.problem)];
  return matchFindings(new Set(read.examples.map((one) => formatKind(kindOf(one)))), csv);
}

function parseError(detail: string, value: string): Finding {
  return finding("Error", "ParseError", detail, { value });
}

/** The text up to the first wrong byte. */
function brokenAt(text: string, at: number): string {
  const before = Buffer.from(text).subarray(0, at).toString("utf8");
  return `invalid character at ${at}\n ${before}<--(see the invalid character)`;
}

/** Examples, or why a text holds none. */
export function readExamples(
  text: string,
): { readonly examples: readonly JsonObject[] } | { readonly problem: string } {
  if (text.trim() === "") return { examples: [] };
  const value = JSON.parse(text) as Json;
  if (value === null) return { examples: [] };
  if (!Array.isArray(value)) {
    const what = isObject(value) ? "object" : typeof value === "boolean" ? "bool" : typeof value;
    // Text that does not look like JSON is parsed as YAML, which changes the error.
    const reading = isObject(value) ? "" : "error unmarshaling JSON: while decoding JSON: ";
    return { problem: `${reading}json: cannot unmarshal ${what} into Go value of type []unstructured.Unstructured` };
  }
  const examples: JsonObject[] = [];
  for (const one of value as readonly Json[]) {
    if (!isObject(one) || typeof one["kind"] !== "string" || one["kind"] === "") return { problem: missingKind(one) };
    examples.push(one);
  }
  return { examples };
}

function missingKind(value: Json): string {
  if (isObject(value) || value === null) return `Object 'Kind' is missing in '${JSON.stringify(value)}'`;
  const what = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${what} into Go value of type struct { Items json.RawMessage }`;
}

function matchFindings(examples: ReadonlySet<string>, { spec = {} }: Csv): Finding[] {
  const owned = spec.customresourcedefinitions?.owned ?? [];
  const nameless = owned.filter(({ name = "" }) => !name.includes("."));
  const provided = new Set([
    ...owned.filter((one) => !nameless.includes(one)).map(providedKind),
    ...(spec.apiservicedefinitions?.owned ?? []).map(({ group = "", version = "", kind = "" }) =>
      formatKind({ group, version, kind }),
    ),
  ]);
  return [
    ...nameless.map(({ name = "" }) =>
      finding("Error", "ParseError", `couldn't parse plural.group from crd name: ${name}`),
    ),
    ...[...examples]
      .filter((one) => !provided.has(one))
      .map((one) => finding("Error", "OperationFailed", "example must have a provided API", { value: one })),
    ...[...provided]
      .filter((one) => !examples.has(one))
      .map((one) =>
        finding("Warning", "OperationFailed", "provided API should have an example annotation", { value: one }),
      ),
  ];
}

function providedKind({ name = "", version = "", kind = "" }: CrdDescription): string {
  return formatKind({ group: name.slice(name.indexOf(".") + 1), version, kind });
}
