/** What serving custom kinds needs of `@capstan/schema`: compiled schemas, checks of definitions, printer columns. */
import type { FieldError, Json } from "@capstan/model";
import * as schema from "@capstan/schema";
import type { PrinterColumn } from "./definition.ts";

/** Told of what fails but did not change in an update. */
export type Warn = (message: string) => void;

/** A version of a kind that can judge objects. */
export interface CompiledResource {
  readonly decode: (
    object: Json,
  ) => { readonly object: Json; readonly unknown: readonly string[] } | { readonly problem: string };
  readonly applyDefaults: (object: Json) => Json;
  readonly validate: (object: Json) => FieldError[];
  readonly validateUpdate: (object: Json, old: Json, warn?: Warn) => FieldError[];
  readonly validateStatusUpdate: (object: Json, old: Json, warn?: Warn) => FieldError[];
}

interface SchemaTools {
  readonly readSchema: (json: Json | undefined) => unknown;
  readonly compileResource: (
    schema: unknown,
    names: { group: string; version: string; kind: string; namespaced: boolean },
  ) => CompiledResource;
  readonly validateCustomResourceDefinition: (definition: Json, old?: Json) => FieldError[];
  readonly crdWarnings: (definition: Json, old?: Json) => string[];
  readonly compileColumns: (columns: readonly PrinterColumn[]) => {
    readonly columns: readonly { readonly name: string; readonly type: string }[];
    readonly cells: (object: Json, now: number) => Json[];
  };
  readonly selectableFieldValue: (jsonPath: string) => (object: Json) => string;
}

/** The room beside us is being built: what it does not offer yet is missed when it is first needed, not when the server starts. */
export const schemaTools: SchemaTools = schema as unknown as SchemaTools;
