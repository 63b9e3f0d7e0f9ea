/** The OpenAPI documents that kube-apiserver serves for its built-in kinds, without descriptions. Large: load it when it is asked for. */
import type { Json } from "@capstan/model";
import { text } from "#facts/openapi";
import { parsedOnce } from "./facts.ts";

/** A document as JSON; parts that occur often are shared, so do not change it. */
export type OpenApiDocument = { readonly [key: string]: Json | undefined };

interface Documents {
  readonly v2: OpenApiDocument;
  readonly v3: { readonly [path: string]: OpenApiDocument };
}

const table = parsedOnce<readonly Json[]>(text);
let documents: Documents | undefined;

/** The document of version 2. */
export function openApiV2(): OpenApiDocument {
  return (documents ??= expandDocuments()).v2;
}

/** The documents of version 3 by path: `api/v1`, `apis/apps/v1`, `version`. */
export function openApiV3(): { readonly [path: string]: OpenApiDocument } {
  return (documents ??= expandDocuments()).v3;
}

/** The rows of the table refer only to rows above them, so one pass from the top makes all of them whole. */
function expandDocuments(): Documents {
  const rows: Json[] = [];
  for (const row of table()) rows.push(expand(row, rows));
  return rows.at(-1) as unknown as Documents;
}

function expand(value: Json, rows: readonly Json[]): Json {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => expand(item, rows));
  const fields = value as { readonly [key: string]: Json };
  const row = fields["="];
  if (typeof row === "number") return rows[row] ?? null;
  return Object.fromEntries(Object.entries(fields).map(([key, part]) => [key, expand(part, rows)]));
}
