/** The types of the language: what the checker infers and what `type(x)` returns at run time. */

/** What family a type belongs to. */
export type TypeKind =
  | "any"
  | "bool"
  | "bytes"
  | "double"
  | "duration"
  | "dyn"
  | "error"
  | "int"
  | "list"
  | "map"
  | "null"
  | "opaque"
  | "param"
  | "string"
  | "struct"
  | "timestamp"
  | "type"
  | "uint";

/** One type: a kind, a runtime name and, for lists, maps, optionals and type values, its parameters. */
export class Type {
  readonly kind: TypeKind;
  readonly name: string;
  readonly params: readonly Type[];

  constructor(kind: TypeKind, name: string, params: readonly Type[] = []) {
    this.kind = kind;
    this.name = name;
    this.params = params;
  }

  /** The type as it is written in declarations, for example `list(string)`. */
  toString(): string {
    if (this.kind === "param") return `<${this.name}>`;
    return this.params.length === 0 ? this.name : `${this.name}(${this.params.join(", ")})`;
  }

  /** The first parameter: the element of a list, the key of a map, the value of an optional. */
  get first(): Type {
    return this.params[0] ?? DYN;
  }

  /** The second parameter: the value of a map. */
  get second(): Type {
    return this.params[1] ?? DYN;
  }
}

/** Any value at all, as protobuf has it. */
export const ANY: Type = new Type("any", "google.protobuf.Any");
/** true and false. */
export const BOOL: Type = new Type("bool", "bool");
/** A sequence of bytes. */
export const BYTES: Type = new Type("bytes", "bytes");
/** A 64-bit float. */
export const DOUBLE: Type = new Type("double", "double");
/** A span of time. */
export const DURATION: Type = new Type("duration", "google.protobuf.Duration");
/** Any type, determined at run time. */
export const DYN: Type = new Type("dyn", "dyn");
/** The type of what did not check. */
export const ERROR: Type = new Type("error", "!error!");
/** A signed 64-bit integer. */
export const INT: Type = new Type("int", "int");
/** The type of null. */
export const NULL: Type = new Type("null", "null_type");
/** A text. */
export const STRING: Type = new Type("string", "string");
/** An instant. */
export const TIMESTAMP: Type = new Type("timestamp", "google.protobuf.Timestamp");
/** The type of types. */
export const TYPE: Type = new Type("type", "type");
/** An unsigned 64-bit integer. */
export const UINT: Type = new Type("uint", "uint");
/** The types of lists and maps as values: `type([1]) == list`. */
export const LIST: Type = new Type("list", "list", [new Type("dyn", "dyn")]);
export const MAP: Type = new Type("map", "map", [new Type("dyn", "dyn"), new Type("dyn", "dyn")]);
const OPTIONAL_NAME = "optional_type";
/** The type of optionals as a value. */
export const OPTIONAL: Type = new Type("opaque", OPTIONAL_NAME);

/** A list of `element`. */
export function listOf(element: Type): Type {
  return new Type("list", "list", [element]);
}

/** A map from `key` to `value`. */
export function mapOf(key: Type, value: Type): Type {
  return new Type("map", "map", [key, value]);
}

/** An optional `value`. */
export function optionalOf(value: Type): Type {
  return new Type("opaque", OPTIONAL_NAME, [value]);
}

/** An object type with fields, identified by its name. */
export function objectType(name: string): Type {
  return new Type("struct", name);
}

/** A type that only its library understands. */
export function opaqueType(name: string, params: readonly Type[] = []): Type {
  return new Type("opaque", name, params);
}

/** A type variable of an overload, such as the T of list(T). */
export function typeParam(name: string): Type {
  return new Type("param", name);
}

/** The type of a value that is itself the type `of`. */
export function typeOf(of: Type): Type {
  return new Type("type", "type", [of]);
}

export function isOptional(type: Type): boolean {
  return type.kind === "opaque" && type.name === OPTIONAL_NAME;
}

export function isDyn(type: Type): boolean {
  return type.kind === "dyn" || type.kind === "any";
}

export function isDynOrError(type: Type): boolean {
  return isDyn(type) || type.kind === "error";
}

/** Whether two types are the same; type variables are the same when their names are. */
export function sameType(a: Type, b: Type): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.params.length !== b.params.length) return false;
  return a.params.every((param, index) => sameType(param, b.params[index] ?? DYN));
}

/** Like sameType, but any type variable equals any other. */
export function equivalentType(a: Type, b: Type): boolean {
  if (a.kind !== b.kind || a.params.length !== b.params.length) return false;
  if (a.kind !== "param" && a.name !== b.name) return false;
  return a.params.every((param, index) => equivalentType(param, b.params[index] ?? DYN));
}

/** The type as error messages write it: `duration`, not `google.protobuf.Duration`. */
export function formatType(type: Type): string {
  switch (type.kind) {
    case "any":
    case "duration":
    case "timestamp":
    case "null":
      return type.kind;
    case "error":
      return "!error!";
    case "param":
      return type.name;
    default:
      return type.params.length === 0 ? type.name : `${type.name}(${type.params.map(formatType).join(", ")})`;
  }
}
