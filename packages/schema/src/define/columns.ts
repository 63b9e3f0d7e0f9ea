/** Columns of `kubectl get`, from the paths that users name. */
import type { JsonSchema } from "./json-schema.ts";
import { DefinitionError } from "./errors.ts";
import { parseJsonPath } from "../print/jsonpath-parser.ts";
import { runtimeConditions } from "./conditions.ts";
import type { ColumnFacts } from "./version-facts.ts";

type ColumnInput = string | ({ readonly wide?: boolean; readonly describe?: string } & ColumnPlace);

/** The source of a column's value: a path of the schema, or a JSONPath. */
type ColumnPlace = { readonly path: string } | { readonly jsonPath: string; readonly type: ColumnFacts["type"] };

/** What columns may show. */
interface Shown {
  readonly schema: JsonSchema;
  /** The declared conditions. */
  readonly conditions: readonly string[];
}

export function toColumns(columns: { readonly [title: string]: ColumnInput }, shown: Shown): ColumnFacts[] {
  const stated = Object.entries(columns).map(([name, column]) =>
    toColumn(name, typeof column === "string" ? { path: column } : column, shown),
  );
  const age: ColumnFacts = {
    name: "Age",
    type: "date",
    jsonPath: ".metadata.creationTimestamp",
    priority: 0,
    description: undefined,
  };
  return stated.some(({ name }) => name === "Age") ? stated : [...stated, age];
}

function toColumn(name: string, column: Exclude<ColumnInput, string>, shown: Shown): ColumnFacts {
  const { wide = false, describe } = column;
  const place = "jsonPath" in column ? asStated(name, column) : locate(name, column.path, shown);
  return { name, ...place, priority: wide ? 1 : 0, description: describe };
}

/** A JSONPath is used as it is, if the API server can parse it. */
function asStated(
  name: string,
  { jsonPath, type }: Extract<ColumnPlace, { readonly jsonPath: string }>,
): Pick<ColumnFacts, "type" | "jsonPath"> {
  if (!jsonPath.startsWith(".")) {
    throw new DefinitionError("BadColumn", `columns.${name}`, `a JSONPath begins with a dot; write ".${jsonPath}"`);
  }
  try {
    parseJsonPath(`{${jsonPath}}`);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new DefinitionError("BadColumn", `columns.${name}`, `"${jsonPath}" is no JSONPath: ${why}`);
  }
  return { type, jsonPath };
}

const conditionPart = { condition: "status", reason: "reason", message: "message" } as const;

function locate(name: string, path: string, shown: Shown): Pick<ColumnFacts, "type" | "jsonPath"> {
  const [, part, condition] = /^(condition|reason|message):(.*)$/.exec(path) ?? [];
  if (part !== undefined && condition !== undefined) {
    mustBeDeclared(name, condition, shown);
    const field = conditionPart[part as keyof typeof conditionPart];
    return { type: "string", jsonPath: `.status.conditions[?(@.type=="${condition}")].${field}` };
  }
  if (path.startsWith("metadata."))
    return { type: path === "metadata.creationTimestamp" ? "date" : "string", jsonPath: `.${path}` };
  return { type: columnType(name, path, shown.schema), jsonPath: `.${path}` };
}

/** A condition that is never set would be an empty column. */
function mustBeDeclared(name: string, condition: string, { conditions }: Shown): void {
  if (conditions.includes(condition)) return;
  if (conditions.length > 0 && runtimeConditions.some((known) => known === condition)) return;
  const cure = conditions.length === 0 ? "declare it in `conditions`" : `declared are ${conditions.join(", ")}`;
  throw new DefinitionError("BadColumn", `columns.${name}`, `there is no condition "${condition}"; ${cure}`);
}

function columnType(name: string, path: string, root: JsonSchema): ColumnFacts["type"] {
  const schema = schemaAt(root, path);
  if (schema === undefined)
    throw new DefinitionError(
      "BadColumn",
      `columns.${name}`,
      `there is no field ${path}; name one that the schema has`,
    );
  if (schema.format === "date-time") return "date";
  switch (schema.type) {
    case "integer":
    case "number":
    case "boolean":
      return schema.type;
    default:
      return "string";
  }
}

/** The schema at a dotted path; undefined if it does not exist. */
export function schemaAt(root: JsonSchema, path: string): JsonSchema | undefined {
  return path
    .split(".")
    .reduce<JsonSchema | undefined>((schema, name) => schema?.properties?.[name] ?? schema?.additionalProperties, root);
}
