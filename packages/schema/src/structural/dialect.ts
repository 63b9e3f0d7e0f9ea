/** Two readings of one schema: how resources are judged, and how defaults inside a schema are judged. */
import { enforcedFormat } from "./formats.ts";
import type { Schema } from "./schema.ts";

/** `resource` drops unknown formats and lets int-or-string be both; `default` takes the structural schema at its word. */
export type Dialect = "resource" | "default";

const intOrString: readonly string[] = ["integer", "string"];
const none: readonly string[] = [];

/** The JSON types that a schema accepts; empty means any. */
export function typesOf(schema: Schema, dialect: Dialect): readonly string[] {
  if (dialect === "resource" && schema.intOrString === true) return intOrString;
  return schema.type === undefined ? none : [schema.type];
}

/** The format that is looked at. */
export function formatOf(schema: Schema, dialect: Dialect): string | undefined {
  return dialect === "resource" ? enforcedFormat(schema.format, typesOf(schema, dialect)) : schema.format;
}
