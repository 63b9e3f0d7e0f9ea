/** Types with limits: what a schema specifies about a value beyond its type, for checking, converting and estimating costs. */

import type { TypeProvider } from "../check/declarations.ts";
import type { SizeEstimator } from "../cost/estimate.ts";
import {
  ANY,
  BOOL,
  BYTES,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  NULL,
  objectType,
  STRING,
  TIMESTAMP,
  type Type,
  UINT,
} from "../type.ts";
import { isReserved } from "./escaping.ts";

/** The largest number of elements when a schema sets none. */
export const NO_LIMIT: bigint = 2n ** 63n - 1n;

/** How a JSON value of a type is written. */
export type JsonForm =
  | "any"
  | "bool"
  | "bytes"
  | "date"
  | "date-time"
  | "double"
  | "duration"
  | "dyn"
  | "int"
  | "int-or-string"
  | "null"
  | "quantity"
  | "string"
  | "uint";

interface DeclBase {
  /** The type that the checker sees. */
  readonly type: Type;
  /** The most characters, bytes, elements or entries; only sized types have one. */
  readonly maxElements: bigint;
  /** The fewest bytes of JSON that a value takes. */
  readonly minSerializedSize: number;
  /** Whether null is a value. */
  readonly nullable: boolean;
}

/** A value without parts. */
export interface DeclScalar extends DeclBase {
  readonly kind: "scalar";
  readonly form: JsonForm;
}

/** A list with its limits. */
export interface DeclList extends DeclBase {
  readonly kind: "list";
  readonly element: DeclType;
  /** map and set lists compare without order and merge when added. */
  readonly listType: "atomic" | "set" | "map";
  /** The properties that tell elements of a map list apart. */
  readonly mapKeys: readonly string[];
}

/** A map with its limits. */
export interface DeclMap extends DeclBase {
  readonly kind: "map";
  readonly key: DeclType;
  readonly element: DeclType;
}

/** A field of an object type. */
export interface DeclField {
  /** The property in JSON; the field may be its escaped form. */
  readonly property: string;
  readonly type: DeclType;
  readonly required: boolean;
}

/** An object with its fields. */
export interface DeclObject extends DeclBase {
  readonly kind: "object";
  readonly name: string;
  /** By field name. */
  readonly fields: ReadonlyMap<string, DeclField>;
}

/** A type with its limits. */
export type DeclType = DeclScalar | DeclList | DeclMap | DeclObject;

/** The limits that a constructor may set. */
export interface DeclLimits {
  readonly maxElements?: bigint;
  readonly minSerializedSize?: number;
  readonly nullable?: boolean;
}

function limits(given: DeclLimits | undefined, maxElements: bigint, minSerializedSize: number): Omit<DeclBase, "type"> {
  return {
    maxElements: given?.maxElements ?? maxElements,
    minSerializedSize: given?.minSerializedSize ?? minSerializedSize,
    nullable: given?.nullable ?? false,
  };
}

/** Types and least JSON sizes of scalars: `""`, `true`, `0`, a date in quotes and so on. */
const SCALARS: Record<JsonForm, readonly [Type, number]> = {
  any: [ANY, 1],
  bool: [BOOL, 4],
  bytes: [BYTES, 2],
  date: [TIMESTAMP, 12],
  "date-time": [TIMESTAMP, 21],
  double: [DOUBLE, 1],
  duration: [DURATION, 3],
  dyn: [DYN, 1],
  int: [INT, 1],
  "int-or-string": [DYN, 1],
  null: [NULL, 4],
  quantity: [objectType("kubernetes.Quantity"), 8],
  string: [STRING, 2],
  uint: [UINT, 1],
};

const SIZED: ReadonlySet<JsonForm> = new Set(["string", "bytes", "int-or-string"]);

/** A scalar by how it is written. */
export function declScalar(form: JsonForm, given?: DeclLimits): DeclScalar {
  const [type, size] = SCALARS[form];
  return { kind: "scalar", form, type, ...limits(given, SIZED.has(form) ? NO_LIMIT : 0n, size) };
}

/** A list of `element`. */
export function declList(
  element: DeclType,
  given?: DeclLimits & { readonly listType?: DeclList["listType"]; readonly mapKeys?: readonly string[] },
): DeclList {
  const listType = given?.listType ?? "atomic";
  return {
    kind: "list",
    element,
    type: listOf(element.type),
    listType,
    mapKeys: given?.mapKeys ?? [],
    ...limits(given, NO_LIMIT, 2),
  };
}

/** The limits of a map besides its values. It is not a type: the one of the values comes first. */
interface MapLimits extends DeclLimits {
  readonly key?: DeclType;
  readonly kind?: never;
}

/** A map from strings, or from `key`, to `element`. Kubernetes assigns its keys no size when it estimates costs. */
export function declMap(element: DeclType, given?: MapLimits): DeclMap {
  const key = given?.key ?? declScalar("string", { maxElements: 0n });
  return { kind: "map", key, element, type: mapOf(key.type, element.type), ...limits(given, NO_LIMIT, 2) };
}

/** An object with a name and fields. */
export function declObject(name: string, fields: ReadonlyMap<string, DeclField>, given?: DeclLimits): DeclObject {
  return { kind: "object", name, fields, type: objectType(name), ...limits(given, 0n, 2) };
}

/** The name of objects that do not have one yet. */
const ANONYMOUS = "object";

/** Names every object in a type after the path to it, so that no two share a name. */
export function assignTypeNames(decl: DeclType, name: string): DeclType {
  switch (decl.kind) {
    case "scalar":
      return decl;
    case "list": {
      const element = assignTypeNames(decl.element, `${name}.@idx`);
      return element === decl.element ? decl : { ...decl, element, type: listOf(element.type) };
    }
    case "map": {
      const element = assignTypeNames(decl.element, `${name}.@elem`);
      return element === decl.element ? decl : { ...decl, element, type: mapOf(decl.key.type, element.type) };
    }
    case "object":
      return nameObject(decl, decl.name === ANONYMOUS ? name : decl.name);
  }
}

function nameObject(decl: DeclObject, name: string): DeclObject {
  const fields = new Map<string, DeclField>();
  for (const [field, declared] of decl.fields) {
    fields.set(field, { ...declared, type: assignTypeNames(declared.type, `${name}.${field}`) });
  }
  return { ...decl, name, fields, type: objectType(name) };
}

/** Lets the checker look up the objects in some types. */
export function declTypeProvider(...roots: readonly DeclType[]): TypeProvider {
  const objects = new Map<string, DeclObject>();
  for (const root of roots) collect(root, objects);
  return {
    findType: (name) => objects.get(name)?.type,
    findField: (typeName, field) => objects.get(typeName)?.fields.get(field)?.type.type,
  };
}

/** Allows reserved words as fields unchanged, `object.metadata.namespace`, in addition to their escaped form, as in policies. */
export function withKeywordFields(provider: TypeProvider): TypeProvider {
  return {
    ...provider,
    findField(typeName, field) {
      return (
        provider.findField(typeName, field) ??
        (isReserved(field) ? provider.findField(typeName, `__${field}__`) : undefined)
      );
    },
  };
}

function collect(decl: DeclType, into: Map<string, DeclObject>): void {
  if (decl.kind === "list" || decl.kind === "map") return collect(decl.element, into);
  if (decl.kind !== "object" || into.get(decl.name) === decl) return;
  into.set(decl.name, decl);
  for (const { type } of decl.fields.values()) collect(type, into);
}

/** Estimates sizes from what the types of variables allow. */
export function declSizes(variables: Readonly<Record<string, DeclType>>): SizeEstimator {
  return ([variable, ...path]) => {
    const root = variable === undefined ? undefined : variables[variable];
    return root && sizeAt(root, path);
  };
}

/**
 * Estimates sizes as Kubernetes does for the rules of a schema: every name stands for the value that the rule is about, be it `self`, a
 * type or an element of a literal.
 */
export function ruleSizes(self: DeclType): SizeEstimator {
  return ([variable, ...path]) => (variable === undefined ? undefined : sizeAt(self, path));
}

function sizeAt(root: DeclType, path: readonly string[]): ReturnType<SizeEstimator> {
  let decl: DeclType | undefined = root;
  for (const name of path) decl = decl && step(decl, name);
  return decl && { min: 0n, max: decl.maxElements };
}

function step(decl: DeclType, name: string): DeclType | undefined {
  if (name === "@items" || name === "@values")
    return decl.kind === "list" || decl.kind === "map" ? decl.element : undefined;
  if (name === "@keys") return decl.kind === "map" ? decl.key : undefined;
  return decl.kind === "object" ? decl.fields.get(name)?.type : undefined;
}
