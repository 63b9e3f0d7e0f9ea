/** The OpenAPI documents that kube-apiserver serves for its built-in kinds, without descriptions. Large: load it when it is needed. */
import type { Json } from "@capstan/model";
import facts from "./generated/facts/openapi.json" with { type: "json" };

/** A document as JSON; parts that occur often are shared, so do not change it. */
export type OpenApiDocument = { readonly [key: string]: Json | undefined };

interface Documents {
  readonly v2: OpenApiDocument;
  readonly v3: { readonly [path: string]: OpenApiDocument };
}

/** Each part of the documents once; see `generate/openapi.ts` for the format. */
interface Interned {
  readonly shapes: readonly (readonly string[])[];
  readonly rows: readonly (string | number | boolean | null | readonly number[])[];
}

let documents: Documents | undefined;

/** The document of version 2. */
export function openApiV2(): OpenApiDocument {
  return (documents ??= expandDocuments()).v2;
}

/** The documents of version 3 by path: `api/v1`, `apis/apps/v1`, `version`. */
export function openApiV3(): { readonly [path: string]: OpenApiDocument } {
  return (documents ??= expandDocuments()).v3;
}

/** Rows refer only to rows above them, so one pass from the top builds all of them. */
function expandDocuments(): Documents {
  const { shapes, rows } = facts as unknown as Interned;
  const values: Json[] = [];
  for (const row of rows) values.push(isParts(row) ? expand(row, shapes, values) : row);
  return values.at(-1) as unknown as Documents;
}

function isParts(row: Interned["rows"][number]): row is readonly number[] {
  return Array.isArray(row);
}

function expand([head, ...parts]: readonly number[], shapes: Interned["shapes"], values: readonly Json[]): Json {
  const whole = parts.map((part) => values[part] ?? null);
  if (head === undefined || head < 0) return whole;
  return Object.fromEntries((shapes[head] ?? []).map((key, i) => [key, whole[i]]));
}
