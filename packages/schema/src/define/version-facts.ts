/** The facts of one version of a resource, as plain data. */
import type { JsonSchema } from "./json-schema.ts";

export interface VersionFacts {
  readonly name: string;
  readonly storage: boolean;
  readonly served: boolean;
  /** The schema of the whole object, as in the CRD. */
  readonly schema: JsonSchema;
  readonly columns: readonly ColumnFacts[];
  readonly scale: { readonly spec: string; readonly status: string; readonly selector: string | undefined } | undefined;
  readonly selectable: readonly string[];
  readonly deprecated: string | undefined;
}

export interface ColumnFacts {
  readonly name: string;
  readonly type: "integer" | "number" | "string" | "boolean" | "date";
  readonly jsonPath: string;
  readonly priority: number;
  readonly description: string | undefined;
}
