/** Columns of a CRD as a definition states them: by the path of a field. */
import type { JsonSchema } from "@capstan/schema";
import { literal } from "./text.ts";

/** A column as it stands in a CRD. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly jsonPath: string;
  readonly description?: string;
  readonly format?: string;
  readonly priority?: number;
}

/** The columns that can be stated, and what cannot. */
export interface ColumnsText {
  readonly entries: readonly string[];
  readonly differences: readonly string[];
}

/** Columns as the entries of an object. */
export function columnsText(columns: readonly PrinterColumn[], root: JsonSchema): ColumnsText {
  const entries: string[] = [];
  const differences: string[] = [];
  for (const column of columns) {
    if (isAge(column)) continue;
    if (canSay(column, root)) entries.push(`${literal(column.name)}: ${columnText(column)}`);
    else differences.push(`the column ${column.name} (${column.jsonPath})`);
  }
  return { entries, differences };
}

function isAge({ name, jsonPath }: PrinterColumn): boolean {
  return name === "Age" && jsonPath === ".metadata.creationTimestamp";
}

function columnText({ jsonPath, priority = 0, description }: PrinterColumn): string {
  const path = literal(jsonPath.slice(1));
  if (priority === 0 && description === undefined) return path;
  const wide = priority > 0 ? ", wide: true" : "";
  return `{ path: ${path}${wide}${description === undefined ? "" : `, describe: ${literal(description)}`} }`;
}

const fromMetadata: ReadonlySet<string> = new Set([
  ".metadata.name",
  ".metadata.namespace",
  ".metadata.creationTimestamp",
]);

function canSay({ jsonPath, type, format, priority = 0, name }: PrinterColumn, root: JsonSchema): boolean {
  if (format !== undefined || priority > 1 || name === "Age") return false;
  if (fromMetadata.has(jsonPath)) return type === (jsonPath.endsWith("Timestamp") ? "date" : "string");
  if (!/^\.(spec|status)(\.[A-Za-z_]\w*)+$/.test(jsonPath)) return false;
  const schema = jsonPath
    .slice(1)
    .split(".")
    .reduce<JsonSchema | undefined>((at, field) => at?.properties?.[field], root);
  return schema !== undefined && type === typeOf(schema);
}

function typeOf({ type, format }: JsonSchema): string {
  if (format === "date-time") return "date";
  return type === "integer" || type === "number" || type === "boolean" ? type : "string";
}
