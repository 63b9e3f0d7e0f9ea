/** Columns of a CRD as a definition states them: by the path of a field. */
import { compileJsonPath, type JsonSchema } from "@capstan/schema";
import { literal } from "./text.ts";

/** A printer column of a CRD. */
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
  const entries = new Map<string, string>();
  const differences: string[] = [];
  for (const [index, column] of columns.entries()) {
    // A definition adds the usual one itself, at the end.
    if (isUsualAge(column) && index === columns.length - 1) continue;
    if (canSay(column) && !entries.has(column.name))
      entries.set(column.name, `${literal(column.name)}: ${columnText(column, root)}`);
    else differences.push(`the column ${column.name} (${column.jsonPath})`);
  }
  return { entries: [...entries.values()], differences };
}

function isUsualAge({ name, jsonPath, type, priority = 0, description = "" }: PrinterColumn): boolean {
  const isPlain = priority === 0 && description === "" && type === "date";
  return isPlain && name === "Age" && jsonPath === ".metadata.creationTimestamp";
}

const types: ReadonlySet<string> = new Set(["integer", "number", "string", "boolean", "date"]);

/** A title of digits would not stay in its place among the others. */
function canSay({ name, jsonPath, type, format, priority = 0 }: PrinterColumn): boolean {
  return (
    (format === undefined || format === "") &&
    (priority === 0 || priority === 1) &&
    types.has(type) &&
    !/^\d+$/.test(name) &&
    isJsonPath(jsonPath)
  );
}

/** Whether the path is valid: a server accepts any text and shows nothing for an invalid path. */
function isJsonPath(path: string): boolean {
  try {
    compileJsonPath(`{${path}}`);
    return path.startsWith(".");
  } catch {
    return false;
  }
}

function columnText(column: PrinterColumn, root: JsonSchema): string {
  const { jsonPath, type, priority = 0, description = "" } = column;
  const path = literal(jsonPath.slice(1));
  const isKnown = hasField(column, root);
  if (isKnown && priority === 0 && description === "") return path;
  const wide = priority > 0 ? ", wide: true" : "";
  const place = isKnown ? `path: ${path}` : `jsonPath: ${literal(jsonPath)}, type: ${literal(type)}`;
  return `{ ${place}${wide}${description === "" ? "" : `, describe: ${literal(description)}`} }`;
}

const fromMetadata: ReadonlySet<string> = new Set([
  ".metadata.name",
  ".metadata.namespace",
  ".metadata.creationTimestamp",
]);

/** Whether the path leads to a field that the schema knows, of the type that the column states. */
function hasField({ jsonPath, type }: PrinterColumn, root: JsonSchema): boolean {
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
