/** Optional values: `optional.of(x)`, `a.?b.orValue(c)`, optMap and their kin. */

import type { Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import type { Expand, Macro } from "../syntax/macros.ts";
import { bind, MacroError } from "../syntax/macros.ts";
import { copyNode } from "../syntax/ast.ts";
import type { Node } from "../syntax/ast.ts";
import { BOOL, DYN, INT, listOf, mapOf, optionalOf, STRING, typeParam } from "../type.ts";
import type { CelValue } from "../values/value.ts";
import {
  ArrayList,
  CelDuration,
  CelList,
  CelMap,
  CelObject,
  CelOptional,
  CelTimestamp,
  CelUint,
  fail,
  noSuchOverload,
} from "../values/value.ts";
import { print } from "../values/print.ts";
import type { Library } from "./library.ts";

const K = typeParam("K");
const V = typeParam("V");
const OPTIONAL_V = optionalOf(V);
const LIST_V = listOf(V);
const MAP_KV = mapOf(K, V);
/** Year 1, which is the zero of times in Go. */
const ZERO_TIME = -62135596800n * 1_000_000_000n;

/** Whether a value is the empty or zero one of its type. */
export function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === "") return true;
  if (value instanceof CelList || value instanceof CelMap) return value.size === 0;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof CelUint) return value.value === 0n;
  if (value instanceof CelDuration) return value.nanos === 0n;
  if (value instanceof CelTimestamp) return value.nanos === ZERO_TIME;
  if (value instanceof CelOptional) return value.value === undefined;
  return value instanceof CelObject && value.isZero;
}

const first: Implementation = (list) => edge(list, 0);
const last: Implementation = (list) => edge(list, -1);

function edge(list: CelValue | undefined, index: number): CelOptional {
  if (!(list instanceof CelList) || list.size === 0) return CelOptional.none;
  return CelOptional.of(list.at(index < 0 ? list.size - 1 : index) as CelValue);
}

const unwrap: Implementation = (list) => {
  const values: CelValue[] = [];
  for (const item of (list as CelList).toArray()) {
    if (!(item instanceof CelOptional)) return fail(`value ${print(item)} is not optional`);
    if (item.value !== undefined) values.push(item.value);
  }
  return new ArrayList(values);
};

/** `target.optMap(x, f)`: f of the value, if there is one. */
function optionalMacro(name: string, wrap: boolean): Macro {
  const expand: Expand = (make, target, [variable, body]) => {
    if (variable?.kind !== "ident") {
      throw new MacroError(variable?.position ?? -1, `${name}() variable name must be a simple identifier`);
    }
    const operand = target as Node;
    const value = make.memberCall("value", copyNode(operand));
    const mapped = bind(make, variable.name, value, body as Node);
    return make.call(
      "_?_:_",
      make.memberCall("hasValue", operand),
      wrap ? make.call("optional.of", mapped) : mapped,
      make.call("optional.none"),
    );
  };
  return { name, args: 2, receiver: true, expand };
}

/** Adds optional values and their syntax. */
export const OPTIONAL_LIBRARY: Library = {
  name: "optional",
  optionalSyntax: true,
  macros: [optionalMacro("optMap", true), optionalMacro("optFlatMap", false)],
  functions: [
    {
      name: "optional.of",
      overloads: [overload("optional_of", [V], OPTIONAL_V, (value) => CelOptional.of(value as CelValue))],
    },
    {
      name: "optional.ofNonZeroValue",
      overloads: [
        overload("optional_ofNonZeroValue", [V], OPTIONAL_V, (value) =>
          isZero(value as CelValue) ? CelOptional.none : CelOptional.of(value as CelValue),
        ),
      ],
    },
    { name: "optional.none", overloads: [overload("optional_none", [], OPTIONAL_V, () => CelOptional.none)] },
    {
      name: "value",
      overloads: [
        member(
          "optional_value",
          [OPTIONAL_V],
          V,
          (optional) => (optional as CelOptional).value ?? dereference(optional),
        ),
      ],
    },
    {
      name: "hasValue",
      overloads: [
        member("optional_hasValue", [OPTIONAL_V], BOOL, (optional) => (optional as CelOptional).value !== undefined),
      ],
    },
    {
      name: "or",
      overloads: [member("optional_or_optional", [OPTIONAL_V, OPTIONAL_V], OPTIONAL_V, () => noSuchOverload())],
    },
    { name: "orValue", overloads: [member("optional_orValue_value", [OPTIONAL_V, V], V, () => noSuchOverload())] },
    { name: "_?._", overloads: [overload("select_optional_field", [DYN, STRING], OPTIONAL_V)] },
    {
      name: "_[?_]",
      overloads: [
        overload("list_optindex_optional_int", [LIST_V, INT], OPTIONAL_V),
        overload("optional_list_optindex_optional_int", [optionalOf(LIST_V), INT], OPTIONAL_V),
        overload("map_optindex_optional_value", [MAP_KV, K], OPTIONAL_V),
        overload("optional_map_optindex_optional_value", [optionalOf(MAP_KV), K], OPTIONAL_V),
      ],
    },
    {
      name: "_[_]",
      overloads: [
        overload("optional_list_index_int", [optionalOf(LIST_V), INT], OPTIONAL_V),
        overload("optional_map_index_value", [optionalOf(MAP_KV), K], OPTIONAL_V),
      ],
    },
    { name: "last", overloads: [member("list_last", [LIST_V], OPTIONAL_V, last)] },
    { name: "first", overloads: [member("list_first", [LIST_V], OPTIONAL_V, first)] },
    { name: "optional.unwrap", overloads: [overload("optional_unwrap", [listOf(OPTIONAL_V)], LIST_V, unwrap)] },
    { name: "unwrapOpt", overloads: [member("optional_unwrapOpt", [listOf(OPTIONAL_V)], LIST_V, unwrap)] },
  ],
};

/** An optional may hold null, which is a value; only none is an error. */
function dereference(optional: CelValue | undefined): CelValue | ReturnType<typeof fail> {
  const { value } = optional as CelOptional;
  return value === undefined ? fail("optional.none() dereference") : value;
}
