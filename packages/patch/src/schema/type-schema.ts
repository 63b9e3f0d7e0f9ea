/** The merge information of a type: whether its parts are owned one by one or as a whole, and how list items are identified. */
import type { Json } from "@capstan/model";

/** The type of a leaf; "untyped" is any of them. */
export type ScalarKind = "string" | "numeric" | "boolean" | "untyped";

/** A type: what it is when it is a scalar, a list or an object. Most types are one of them, free-form ones are all. */
export interface TypeSchema {
  readonly scalar?: ScalarKind;
  readonly list?: ListType;
  readonly map?: MapType;
}

/** A type that is resolved when needed, so that types can contain themselves. */
export type TypeRef = () => TypeSchema;

/** A list: atomic, a set of scalars, or items identified by keys. */
export interface ListType {
  readonly kind: "atomic" | "set" | "map";
  readonly keys: readonly string[];
  readonly element: TypeRef;
}

/** An object: atomic, or with fields that are owned one by one. */
export interface MapType {
  readonly kind: "granular" | "atomic";
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The type of undeclared fields; undefined: not allowed. */
  readonly element?: TypeRef;
  /** Nothing is declared and everything is allowed: such objects keep their managed fields when the schema changes. */
  readonly isFreeForm: boolean;
}

/** A declared field; a default replaces a missing list key. */
export interface FieldType {
  readonly type: TypeRef;
  readonly default?: Json;
}

/** Any value, owned as a whole. */
export const untypedAtomic: TypeSchema = {
  scalar: "untyped",
  list: { kind: "atomic", keys: [], element: () => untypedAtomic },
  map: { kind: "atomic", fields: new Map(), element: () => untypedAtomic, isFreeForm: false },
};

/** Any value; its shape decides: objects field by field, lists as a whole. */
export const deduced: TypeSchema = {
  scalar: "untyped",
  list: { kind: "atomic", keys: [], element: () => untypedAtomic },
  map: { kind: "granular", fields: new Map(), element: () => deduced, isFreeForm: true },
};

/** The type of a field, declared or not; undefined when the object may not have it. */
export function fieldType(map: MapType, name: string): TypeRef | undefined {
  return map.fields.get(name)?.type ?? map.element;
}

/** The same type with another ownership of its parts, as a reference may require. */
export function withMapKind(type: TypeSchema, kind: MapType["kind"]): TypeSchema {
  return type.map === undefined ? type : { ...type, map: { ...type.map, kind } };
}
