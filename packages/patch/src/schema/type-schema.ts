/** What merging needs to know about a type: whether its parts are owned one by one or as a whole, and how list items are told apart. */
import type { Json } from "@capstan/model";

/** What a leaf holds; "untyped" is any of them. */
export type ScalarKind = "string" | "numeric" | "boolean" | "untyped";

/** A type: what it is when it is a scalar, a list or an object. Most types are one of them, free-form ones are all. */
export interface TypeSchema {
  readonly scalar?: ScalarKind;
  readonly list?: ListType;
  readonly map?: MapType;
}

/** A type that is looked up when it is needed, so that types can contain themselves. */
export type TypeRef = () => TypeSchema;

/** A list: one value as a whole, a set of scalars, or items told apart by keys. */
export interface ListType {
  readonly kind: "atomic" | "set" | "map";
  readonly keys: readonly string[];
  readonly element: TypeRef;
}

/** An object: one value as a whole, or fields that are owned one by one. */
export interface MapType {
  readonly kind: "granular" | "atomic";
  readonly fields: ReadonlyMap<string, FieldType>;
  /** The type of fields that are not declared; without it, there may be none. */
  readonly element?: TypeRef;
  /** Nothing is declared and everything allowed: such objects keep their managed fields when the schema changes. */
  readonly isFreeForm: boolean;
}

/** A declared field; a default takes the place of a list key that is left out. */
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

/** Any value, its shape taken from what it holds: objects field by field, lists as a whole. */
export const deduced: TypeSchema = {
  scalar: "untyped",
  list: { kind: "atomic", keys: [], element: () => untypedAtomic },
  map: { kind: "granular", fields: new Map(), element: () => deduced, isFreeForm: true },
};

/** The type of a field, declared or not; undefined when the object may not have it. */
export function fieldType(map: MapType, name: string): TypeRef | undefined {
  return map.fields.get(name)?.type ?? map.element;
}

/** The same type with its parts owned in another way, as a reference may ask for. */
export function withMapKind(type: TypeSchema, kind: MapType["kind"]): TypeSchema {
  return type.map === undefined ? type : { ...type, map: { ...type.map, kind } };
}
