/** Kubernetes' list functions: isSorted, sum, min, max, indexOf and lastIndexOf. */

import type { FunctionDeclaration, Implementation } from "../check/declarations.ts";
import { member } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import type { Type } from "../type.ts";
import { BOOL, BYTES, DOUBLE, DURATION, INT, listOf, STRING, TIMESTAMP, typeParam, UINT } from "../type.ts";
import { add } from "../values/arithmetic.ts";
import { compare, equals, isComparable } from "../values/compare.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { CelDuration, CelError, type CelList, CelUint, fail, noSuchOverload } from "../values/value.ts";

const SUMMABLE: readonly (readonly [string, Type, CelValue])[] = [
  ["int", INT, 0n],
  ["uint", UINT, new CelUint(0n)],
  ["double", DOUBLE, 0],
  ["duration", DURATION, new CelDuration(0n)],
];
const COMPARABLE: readonly (readonly [string, Type])[] = [
  ["int", INT],
  ["uint", UINT],
  ["double", DOUBLE],
  ["bool", BOOL],
  ["duration", DURATION],
  ["timestamp", TIMESTAMP],
  ["string", STRING],
  ["bytes", BYTES],
];
const A = typeParam("A");

function items(list: CelValue | undefined): readonly CelValue[] {
  return (list as CelList).toArray();
}

const isSorted: Implementation = (list) => {
  let previous: CelValue | undefined;
  for (const item of items(list)) {
    if (!isComparable(item)) return noSuchOverload();
    if (previous !== undefined && compare(previous, item) === 1) return false;
    previous = item;
  }
  return true;
};

function sum(zero: CelValue): Implementation {
  return (list) => {
    let total: CelResult = zero;
    for (const item of items(list)) {
      total = add(total, item);
      if (total instanceof CelError) return total;
    }
    return total;
  };
}

/** The element that no other beats; `worse` is how a beaten one compares. */
function extreme(name: string, worse: number): Implementation {
  return (list) => {
    let best: CelValue | undefined;
    for (const item of items(list)) {
      if (!isComparable(item)) return noSuchOverload();
      if (best === undefined || compare(best, item) === worse) best = item;
    }
    return best ?? fail(`${name} called on empty list`);
  };
}

function ofComparable(
  name: string,
  id: (type: string) => string,
  result: (type: Type) => Type,
  implementation: Implementation,
): FunctionDeclaration {
  const overloads = COMPARABLE.map(([typeName, type]) =>
    member(id(typeName), [listOf(type)], result(type), implementation),
  );
  return { name, overloads };
}

const indexOf: Implementation = (list, item) =>
  BigInt(items(list).findIndex((other) => equals(other, item as CelValue) === true));
const lastIndexOf: Implementation = (list, item) =>
  BigInt(items(list).findLastIndex((other) => equals(other, item as CelValue) === true));

export const KUBERNETES_LISTS: Library = {
  name: "kubernetes.lists",
  functions: [
    ofComparable(
      "isSorted",
      (type) => `list_${type}_is_sorted_bool`,
      () => BOOL,
      isSorted,
    ),
    {
      name: "sum",
      overloads: SUMMABLE.map(([name, type, zero]) =>
        member(`list_${name}_sum_${name}`, [listOf(type)], type, sum(zero)),
      ),
    },
    ofComparable(
      "max",
      (type) => `list_${type}_max_${type}`,
      (type) => type,
      extreme("max", -1),
    ),
    ofComparable(
      "min",
      (type) => `list_${type}_min_${type}`,
      (type) => type,
      extreme("min", 1),
    ),
    { name: "indexOf", overloads: [member("list_a_index_of_int", [listOf(A), A], INT, indexOf)] },
    { name: "lastIndexOf", overloads: [member("list_a_last_index_of_int", [listOf(A), A], INT, lastIndexOf)] },
  ],
};
