/** Makes the OpenAPI documents of the server small: without descriptions, each repeated part said once. */
import type { Documents, Fields, Value } from "./documents.ts";

/** The maps whose keys are names of the user's and not words of OpenAPI. */
const namings = new Set(["properties", "definitions", "schemas", "parameters", "responses", "paths"]);

/** A document without its descriptions; those of responses stay, because OpenAPI demands them. */
export function withoutDescriptions(document: Fields): Fields {
  return strip(document, "document") as Fields;
}

type Place = "document" | "names" | "responses" | "response";

function strip(value: Value, place: Place): Value {
  if (Array.isArray(value)) return value.map((item) => strip(item, "document"));
  if (typeof value !== "object" || value === null) return value;
  const kept: Fields = {};
  for (const [key, part] of Object.entries(value)) {
    if (key === "description" && typeof part === "string" && place === "document") continue;
    kept[key] = strip(part, placeOf(key, place));
  }
  return kept;
}

function placeOf(key: string, place: Place): Place {
  if (place === "responses") return "response";
  if (place === "names") return "document";
  if (key === "responses") return "responses";
  return namings.has(key) ? "names" : "document";
}

/** All documents as one text of which {@link https://json.org JSON} gives a table: the last row is the root. */
export function internDocuments(documents: Documents): string {
  const v3 = Object.entries(documents.openApiV3).map(([path, document]) => [path, withoutDescriptions(document)]);
  return intern({ v2: withoutDescriptions(documents.openApiV2), v3: Object.fromEntries(v3) as Fields });
}

/** Rows of a table; in a row, `{"=": n}` stands for row n. Only what occurs twice and is longer than its reference gets a row. */
function intern(root: Value): string {
  const counts = new Map<string, number>();
  count(root, counts);
  const rows: string[] = [];
  const rowOf = new Map<string, number>();
  const write = (value: Value): string => {
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const text = JSON.stringify(value);
    if ((counts.get(text) ?? 0) < 2 || text.length < 16) return body(value);
    let row = rowOf.get(text);
    if (row === undefined) {
      const written = body(value);
      row = rows.length;
      rows.push(written);
      rowOf.set(text, row);
    }
    return `{"=":${row}}`;
  };
  const body = (value: Value[] | Fields): string =>
    Array.isArray(value)
      ? `[${value.map(write).join(",")}]`
      : `{${Object.entries(value)
          .map(([key, part]) => `${JSON.stringify(key)}:${write(part)}`)
          .join(",")}}`;
  rows.push(body(root as Fields));
  return `[${rows.join(",\n")}]`;
}

/** Counts each part; a part seen before is not entered again, so that what is only inside of it does not count twice. */
function count(value: Value, counts: Map<string, number>): void {
  if (typeof value !== "object" || value === null) return;
  const text = JSON.stringify(value);
  const seen = counts.get(text) ?? 0;
  counts.set(text, seen + 1);
  if (seen > 0) return;
  for (const part of Object.values(value)) count(part, counts);
}

/** The schemas of all groups and versions together; where several say the same name, what version 2 says of its kinds wins. */
export function collectDefinitions(documents: Documents): Record<string, Fields> {
  const all: Record<string, Fields> = {};
  for (const document of Object.values(documents.openApiV3)) {
    const { components } = withoutDescriptions(document) as { components?: { schemas?: Record<string, Fields> } };
    Object.assign(all, components?.schemas);
  }
  const { definitions } = documents.openApiV2 as unknown as { definitions: Record<string, Fields> };
  for (const [name, definition] of Object.entries(definitions)) {
    const kinds = definition["x-kubernetes-group-version-kind"];
    const schema = all[name];
    if (schema !== undefined && kinds !== undefined) schema["x-kubernetes-group-version-kind"] = kinds;
  }
  const names = Object.keys(all).sort();
  return Object.fromEntries(names.map((name) => [name, shortened(all[name] ?? {}) as Fields]));
}

/** References without their prefix, and without the wrapping that OpenAPI needs to put a default beside them. */
function shortened(value: Value): Value {
  if (Array.isArray(value)) return value.map(shortened);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([key, part]): [string, Value] => {
    if (key === "$ref" && typeof part === "string") return [key, part.replace("#/components/schemas/", "")];
    return [key, shortened(part)];
  });
  const fields = Object.fromEntries(entries);
  const [only, ...more] = Array.isArray(fields["allOf"]) ? fields["allOf"] : [];
  if (only === undefined || more.length > 0) return fields;
  const { allOf: _, ...rest } = fields;
  return { ...rest, ...(only as Fields) };
}
