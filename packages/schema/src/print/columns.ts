/** Printer columns: from the paths of a CRD to the cells of a Table. */
import type { Json } from "@capstan/model";
import { isLargeInteger, parseTime, toMilliseconds } from "@capstan/model";

import { isJsonObject } from "../structural/schema.ts";
import { formatAge } from "@capstan/model";
import type { JsonPath } from "./jsonpath.ts";
import { compileJsonPath, printValues } from "./jsonpath.ts";
import { JsonPathError } from "./jsonpath-parser.ts";

/** A column in a CRD. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** A column in a Table. */
export interface TableColumn {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly description: string;
  readonly priority: number;
}

/** Converts objects to rows. */
export interface TablePrinter {
  readonly columns: readonly TableColumn[];
  /** The cells of one object; `now` is the time that ages are relative to, in milliseconds. */
  readonly cells: (object: Json, now: number) => Json[];
}

const nameColumn: TableColumn = {
  name: "Name",
  type: "string",
  format: "name",
  description:
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a client to request the generation of an appropriate name automatically. Name is primarily intended for creation idempotence and configuration definition. Cannot be updated. More info: https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
  priority: 0,
};

/** The default columns of a CRD without any. */
export const defaultColumns: readonly PrinterColumn[] = [
  {
    name: "Age",
    type: "date",
    description:
      "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed to be set in happens-before order across separate operations. Clients may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata",
    jsonPath: ".metadata.creationTimestamp",
  },
];

/** Compiles columns. An invalid path ends the list, as in the server. */
export function compileColumns(columns: readonly PrinterColumn[]): TablePrinter {
  const usable = columns.length === 0 ? defaultColumns : columns;
  const compiled: { readonly column: PrinterColumn; readonly path: JsonPath }[] = [];
  for (const column of usable) {
    const path = tryCompile(column.jsonPath);
    if (path === undefined) break;
    compiled.push({ column, path });
  }
  return {
    columns: [nameColumn, ...compiled.map(({ column }) => tableColumn(column))],
    cells: (object, now) => [
      nameOf(object),
      ...compiled.map(({ column, path }) => cell(path, object, { type: column.type, now })),
    ],
  };
}

function tryCompile(jsonPath: string): JsonPath | undefined {
  try {
    return compileJsonPath(`{${jsonPath}}`, { allowMissingKeys: true });
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function tableColumn({
  name,
  type,
  format = "",
  description = "",
  priority = 0,
  jsonPath,
}: PrinterColumn): TableColumn {
  const shown =
    description === "" ? `Custom resource definition column (in JSONPath format): ${jsonPath}` : description;
  return { name, type, format, description: shown, priority };
}

function nameOf(object: Json): string {
  const metadata = isJsonObject(object) ? object["metadata"] : undefined;
  const name = isJsonObject(metadata) ? metadata["name"] : undefined;
  return typeof name === "string" ? name : "";
}

function cell(path: JsonPath, object: Json, { type, now }: { readonly type: string; readonly now: number }): Json {
  const value = firstOf(path, object);
  if (value === undefined) return null;
  if (type === "string") return value === null ? "<no value>" : printValues([value]);
  return convert(value, type, now);
}

function firstOf(path: JsonPath, object: Json): Json | undefined {
  try {
    return path.find(object)[0]?.[0];
  } catch (error) {
    if (error instanceof JsonPathError) return undefined;
    throw error;
  }
}

function convert(value: Json, type: string, now: number): Json {
  switch (type) {
    case "integer":
      return integer(value);
    case "number":
      return isLargeInteger(value) ? Number(value) : typeof value === "number" ? value : null;
    case "boolean":
      return typeof value === "boolean" ? value : null;
    case "date":
      return typeof value === "string" ? age(value, now) : null;
    default:
      return null;
  }
}

const leastInteger = -(2n ** 63n);

/** Converts to int64 like Go: the fraction is dropped, and a value that is too large becomes the minimum. */
function integer(value: Json): Json {
  if (isLargeInteger(value)) return value;
  if (typeof value !== "number") return null;
  if (Number.isSafeInteger(Math.trunc(value))) return Math.trunc(value);
  const exact = BigInt(Math.trunc(value));
  const fits = exact >= leastInteger && exact < -leastInteger;
  // Integers beyond the safe range are bigints.
  return (fits ? exact : leastInteger) as unknown as Json;
}

function age(timestamp: string, now: number): string {
  if (timestamp === "" || timestamp === "null") return "<unknown>";
  try {
    return formatAge(now - toMilliseconds(parseTime(timestamp)));
  } catch {
    return "<invalid>";
  }
}

/** The value of a selectable field as field selectors compare it: a string, empty if the field is missing. */
export function selectableFieldValue(jsonPath: string): (object: Json) => string {
  const path = compileJsonPath(`{${jsonPath}}`, { allowMissingKeys: true });
  return (object) => {
    const value = path.find(object)[0]?.[0];
    return value === undefined || value === null ? "" : printValues([value]);
  };
}
