/** Two interpretations of one schema: the validation of resources, and the validation of defaults inside a schema. */
import { enforcedFormat } from "./formats.ts";
import type { Schema } from "./schema.ts";

/** `resource` drops unknown formats and lets int-or-string be both; `default` applies the structural schema literally. */
export type Dialect = "resource" | "default";

const intOrString: readonly string[] = ["integer", "string"];
const none: readonly string[] = [];

/** The JSON types that a schema accepts; empty means any. */
export function typesOf(schema: Schema, dialect: Dialect): readonly string[] {
  if (dialect === "resource" && schema.intOrString === true) return intOrString;
  return schema.type === undefined ? none : [schema.type];
}

/** The format that is checked. */
export function formatOf(schema: Schema, dialect: Dialect): string | undefined {
  return dialect === "resource" ? enforcedFormat(schema.format, typesOf(schema, dialect)) : schema.format;
}
