/** Makes the OpenAPI documents of the server small: without descriptions, and with each repeated part once. */
import type { Documents, Fields, Value } from "./documents.ts";

/** The maps whose keys are user-defined names and not keywords of OpenAPI. */
const namings = new Set(["properties", "definitions", "schemas", "parameters", "responses", "paths"]);

/** A document without its descriptions; those of responses stay, because OpenAPI requires them. */
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

/** All documents as one text, in the format that `src/openapi.ts` reads. */
export function internDocuments(documents: Documents): string {
  const v3 = Object.entries(documents.openApiV3).map(([path, document]) => [path, withoutDescriptions(document)]);
  const interned = new Interned();
  interned.add({ v2: withoutDescriptions(documents.openApiV2), v3: Object.fromEntries(v3) as Fields });
  return interned.toText();
}

/**
 * Values with each part stored once. A string, number or boolean is one row; a list is the row `[-1, ...rows of its items]`; an object is
 * the row `[shape, ...rows of its values]`, where a shape is a list of keys. A row refers to rows above it, the last is the root.
 */
class Interned {
  private readonly shapes = new Map<string, number>();
  private readonly rows = new Map<string, number>();

  /** The number of the row of a value. */
  add(value: Value): number {
    if (typeof value !== "object" || value === null) return numberOf(this.rows, JSON.stringify(value));
    const head = Array.isArray(value) ? -1 : numberOf(this.shapes, JSON.stringify(Object.keys(value)));
    const parts = Object.values(value).map((part) => this.add(part));
    return numberOf(this.rows, JSON.stringify([head, ...parts]));
  }

  toText(): string {
    const lines = (map: ReadonlyMap<string, number>): string => [...map.keys()].join(",\n");
    return `{"shapes":[\n${lines(this.shapes)}\n],"rows":[\n${lines(this.rows)}\n]}`;
  }
}

function numberOf(numbers: Map<string, number>, text: string): number {
  const known = numbers.get(text) ?? numbers.size;
  numbers.set(text, known);
  return known;
}

/** The schemas of all groups and versions together; for a name in several documents, version 2's schema of a kind wins. */
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
