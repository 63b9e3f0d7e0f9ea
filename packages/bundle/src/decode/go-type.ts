/** How Go declares a type, as far as decoding, emptiness and error messages depend on it. */
import type { Json } from "@capstan/model";

/** A type of Go. */
export type GoType =
  | { readonly kind: "string"; readonly name: string }
  | { readonly kind: "bool" }
  | { readonly kind: "int"; readonly name: "int32" | "int64" }
  | { readonly kind: "float" }
  | { readonly kind: "list"; readonly of: () => GoType }
  | { readonly kind: "map"; readonly of: () => GoType; readonly name?: string }
  | { readonly kind: "raw" }
  /** A type with its own unmarshaler: `problem` checks a value, including null. */
  | { readonly kind: "read"; readonly problem: (value: Json) => string | undefined }
  /** A type with its own unmarshaler for several types: returns the type or an error. */
  | { readonly kind: "either"; readonly choose: (value: Json) => GoType | string }
  | Struct;

/** A struct with its fields in their order. */
export interface Struct {
  readonly kind: "struct";
  readonly name: string;
  readonly fields: readonly Field[];
}

/** A field: as JSON and as Go call it. */
export interface Field {
  readonly json: string;
  readonly go: string;
  readonly type: () => GoType;
  /** Omitted from JSON when empty, so it may be missing. */
  readonly optional: boolean;
  /** The struct that is embedded and has the field. */
  readonly embedded?: string;
  /** Of a pointer only its absence is empty. */
  readonly pointer: boolean;
}

/** The type as Go's messages name it. */
export function formatType(type: GoType): string {
  switch (type.kind) {
    case "string":
      return type.name;
    case "bool":
      return "bool";
    case "int":
      return type.name;
    case "float":
      return "float64";
    case "list":
      return `[]${formatType(type.of())}`;
    case "map":
      return type.name ?? `map[string]${formatType(type.of())}`;
    case "struct":
      return type.name;
    case "raw":
    case "read":
    case "either":
      return "json.RawMessage";
  }
}
