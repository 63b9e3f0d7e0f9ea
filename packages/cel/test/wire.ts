/** The cases of cel-spec as they come, and which of them need protobuf. */

import type { SerializedIncrementalTest } from "@bufbuild/cel-spec/testdata/tests.js";
import {
  BOOL,
  BYTES,
  CelError,
  DOUBLE,
  DURATION,
  DYN,
  INT,
  listOf,
  mapOf,
  member,
  NULL,
  optionalOf,
  overload,
  STRING,
  TIMESTAMP,
  Type,
  typeParam,
  UINT,
} from "@capstan/cel";
import type { FunctionDeclaration } from "@capstan/cel";

/** The parts of a case that are read here. */
export interface Original {
  readonly name?: string;
  readonly expr: string;
  readonly container?: string;
  readonly disableCheck?: boolean;
  readonly checkOnly?: boolean;
  readonly disableMacros?: boolean;
  readonly typeEnv?: readonly Declaration[];
  readonly bindings?: Readonly<Record<string, { readonly value?: WireValue }>>;
  readonly value?: WireValue;
  readonly typedResult?: { readonly result?: WireValue; readonly deducedType?: WireType };
  readonly evalError?: unknown;
  readonly unknown?: unknown;
}

export interface Declaration {
  readonly name: string;
  readonly ident?: { readonly type: WireType };
  readonly function?: { readonly overloads: readonly WireOverload[] };
}

interface WireOverload {
  readonly overloadId: string;
  readonly params?: readonly WireType[];
  readonly typeParams?: readonly string[];
  readonly resultType: WireType;
  readonly isInstanceFunction?: boolean;
}

type WireType = Readonly<Record<string, unknown>>;
export type WireValue = Readonly<Record<string, unknown>>;

/** Thrown for what only protobuf messages could mean. */
export class NeedsProtobufError extends Error {
  override readonly name = "NeedsProtobuf";
}

/** Texts of cases that need protobuf. */
const PROTOBUF = /google\.protobuf\.|TestAllTypes|NestedTestAllTypes|cel\.expr\.|GlobalEnum|proto[23]|protobuf/;

/** Whether a case is about protobuf; the wire form of times alone does not make it so. */
export function needsProtobuf(test: SerializedIncrementalTest): boolean {
  const text = JSON.stringify({ ...test.original, name: "" })
    .replaceAll(/type\.googleapis\.com\/google\.protobuf\.(Duration|Timestamp)/g, "")
    .replaceAll(/"google\.protobuf\.(Duration|Timestamp)"/g, "");
  return PROTOBUF.test(text);
}

const PRIMITIVES: Readonly<Record<string, Type>> = { BOOL, BYTES, DOUBLE, INT64: INT, STRING, UINT64: UINT };

const WELL_KNOWN: Readonly<Record<string, Type>> = { DURATION, TIMESTAMP, "google.protobuf.Duration": DURATION };

interface AbstractType {
  readonly name: string;
  readonly parameterTypes?: readonly WireType[];
}

function abstractType({ name, parameterTypes = [] }: AbstractType): Type {
  if (name === "optional_type") return optionalOf(typeOfWire(parameterTypes[0] ?? { dyn: {} }));
  return new Type("opaque", name, parameterTypes.map(typeOfWire));
}

export function typeOfWire(wire: WireType): Type {
  if ("primitive" in wire) return PRIMITIVES[String(wire["primitive"])] ?? DYN;
  if ("dyn" in wire) return DYN;
  if ("null" in wire) return NULL;
  if ("typeParam" in wire) return typeParam(String(wire["typeParam"]));
  if ("listType" in wire)
    return listOf(typeOfWire((wire["listType"] as { elemType?: WireType }).elemType ?? { dyn: {} }));
  if ("mapType" in wire) {
    const { keyType, valueType } = wire["mapType"] as { keyType: WireType; valueType: WireType };
    return mapOf(typeOfWire(keyType), typeOfWire(valueType));
  }
  const wellKnown = WELL_KNOWN[String(wire["wellKnown"] ?? wire["messageType"])];
  if (wellKnown) return wellKnown;
  if ("abstractType" in wire) return abstractType(wire["abstractType"] as AbstractType);
  if ("type" in wire) return new Type("type", "type");
  throw new NeedsProtobufError(JSON.stringify(wire));
}

export function functionOf({ name, function: declared }: Declaration): FunctionDeclaration {
  const overloads = (declared?.overloads ?? []).map((wire) => {
    const make = wire.isInstanceFunction ? member : overload;
    return make(
      wire.overloadId,
      (wire.params ?? []).map(typeOfWire),
      typeOfWire(wire.resultType),
      () => new CelError("not bound"),
    );
  });
  return { name, overloads };
}
