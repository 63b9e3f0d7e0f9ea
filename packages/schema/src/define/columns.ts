/** Columns of `kubectl get`, from the paths that users name. */
import type { JsonSchema } from "./json-schema.ts";
import { DefinitionError } from "./errors.ts";
import type { ColumnFacts } from "./version-facts.ts";

type ColumnInput = string | { readonly path: string; readonly wide?: boolean; readonly describe?: string };

export function toColumns(columns: { readonly [title: string]: ColumnInput }, root: JsonSchema): ColumnFacts[] {
  const stated = Object.entries(columns).map(([name, column]) =>
    toColumn(name, typeof column === "string" ? { path: column } : column, root),
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

function toColumn(
  name: string,
  { path, wide = false, describe }: Exclude<ColumnInput, string>,
  root: JsonSchema,
): ColumnFacts {
  return { name, ...locate(name, path, root), priority: wide ? 1 : 0, description: describe };
}

const conditionPart = { condition: "status", reason: "reason", message: "message" } as const;

function locate(name: string, path: string, root: JsonSchema): Pick<ColumnFacts, "type" | "jsonPath"> {
  const condition = /^(condition|reason|message):(.+)$/.exec(path);
  if (condition) {
    const part = conditionPart[condition[1] as keyof typeof conditionPart];
    return { type: "string", jsonPath: `.status.conditions[?(@.type=="${condition[2]}")].${part}` };
  }
  if (path.startsWith("metadata."))
    return { type: path === "metadata.creationTimestamp" ? "date" : "string", jsonPath: `.${path}` };
  return { type: columnType(name, path, root), jsonPath: `.${path}` };
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

/** The schema at a dotted path, or undefined where there is none. */
export function schemaAt(root: JsonSchema, path: string): JsonSchema | undefined {
  return path
    .split(".")
    .reduce<JsonSchema | undefined>((schema, name) => schema?.properties?.[name] ?? schema?.additionalProperties, root);
}
