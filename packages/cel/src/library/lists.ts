/** The list extension: slice, flatten, sort, sortBy, distinct, reverse and ranges. */

import type { Implementation } from "../check/declarations.ts";
import { member, overload } from "../check/declarations.ts";
import type { Node } from "../syntax/ast.ts";
import type { Expand } from "../syntax/macros.ts";
import { bind, expandMap, MacroError } from "../syntax/macros.ts";
import type { Type } from "../type.ts";
import { BOOL, BYTES, DOUBLE, DURATION, DYN, INT, listOf, STRING, TIMESTAMP, typeParam, UINT } from "../type.ts";
import { compare, isComparable } from "../values/compare.ts";
import { ValueSet } from "../values/value-set.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { ArrayList, CelList, fail, typeOfValue } from "../values/value.ts";
import { spend } from "../work.ts";
import type { Library } from "./library.ts";

const LIST_T = listOf(typeParam("T"));
const LIST_DYN = listOf(DYN);
const COMPARABLE: readonly Type[] = [INT, UINT, DOUBLE, BOOL, DURATION, TIMESTAMP, STRING, BYTES];
/** A range longer than this would only be made to exhaust the memory; its cost is far over every limit. */
const LONGEST_RANGE = 10_000_000n;

function items(list: CelValue | undefined): CelValue[] {
  return (list as CelList).toArray();
}

const slice: Implementation = (list, from, to) => {
  const [start, end] = [from as bigint, to as bigint];
  const { size } = list as CelList;
  const call = `cannot slice(${start}, ${end})`;
  if (start < 0n || end < 0n) return fail(`${call}, negative indexes not supported`);
  if (start > end) return fail(`${call}, start index must be less than or equal to end index`);
  if (BigInt(size) < end) return fail(`${call}, list is length ${size}`);
  return new ArrayList(items(list).slice(Number(start), Number(end)));
};

const flatten: Implementation = (list, depth) => {
  const levels = depth === undefined ? 1n : (depth as bigint);
  if (levels < 0n) return fail("level must be non-negative");
  return new ArrayList(flattened(list as CelList, levels));
};

function flattened(list: CelList, levels: bigint): CelValue[] {
  return list
    .toArray()
    .flatMap((item) => (levels > 0n && item instanceof CelList ? flattened(item, levels - 1n) : [item]));
}

/** Sorts by keys of one comparable type, keeping equal ones in order. */
function sortBy(list: CelList, keys: CelList): CelResult {
  if (list.size !== keys.size) {
    const expected = "@sortByAssociatedKeys() expected a list of the same size as the associated keys list";
    return fail(`${expected}, but got ${list.size} and ${keys.size} elements respectively`);
  }
  const keyed = keys.toArray().map((key, index) => ({ key, item: list.at(index) as CelValue }));
  const [first] = keyed;
  if (!first) return list;
  if (!isComparable(first.key)) return fail("list elements must be comparable");
  const type = typeOfValue(first.key);
  if (keyed.some(({ key }) => typeOfValue(key) !== type)) return fail("list elements must have the same type");
  keyed.sort((a, b) => (compare(a.key, b.key) === -1 ? -1 : Number(compare(b.key, a.key) === -1)));
  return new ArrayList(keyed.map(({ item }) => item));
}

const distinct: Implementation = (list) => {
  const unique: CelValue[] = [];
  const seen = new ValueSet();
  for (const item of items(list)) {
    if (seen.has(item)) continue;
    seen.add(item);
    unique.push(item);
  }
  return new ArrayList(unique);
};

const range: Implementation = (count) => {
  const length = count as bigint;
  if (length > LONGEST_RANGE) return fail(`cannot make a range of ${length} elements`);
  spend(Math.max(Number(length), 0) * 4);
  return new ArrayList(Array.from({ length: Math.max(Number(length), 0) }, (_, index) => BigInt(index)));
};

const SORTED_INPUT = "@__sortBy_input__";

const expandSortBy: Expand = (make, target, args) => {
  const input = target as Node;
  if (input.kind === "literal" || input.kind === "map" || input.kind === "struct") {
    throw new MacroError(
      input.position,
      "sortBy can only be applied to a list, identifier, comprehension, call or select expression",
    );
  }
  const keys = expandMap(make, make.ident(SORTED_INPUT), args) as Node;
  return bind(make, SORTED_INPUT, input, make.memberCall("@sortByAssociatedKeys", make.ident(SORTED_INPUT), keys));
};

/** The extension at a version: 1 adds flatten, 2 the rest. */
export function listsLibrary(version: number): Library {
  const sliceFn = { name: "slice", overloads: [member("list_slice", [LIST_T, INT, INT], LIST_T, slice)] };
  const flattenFn = {
    name: "flatten",
    overloads: [
      member("list_flatten", [listOf(LIST_T)], LIST_T, flatten),
      member("list_flatten_int", [LIST_DYN, INT], LIST_DYN, flatten),
    ],
    unguarded: true,
  };
  if (version < 2) return { name: "lists", functions: version < 1 ? [sliceFn] : [sliceFn, flattenFn] };
  return {
    name: "lists",
    macros: [{ name: "sortBy", args: 2, receiver: true, expand: expandSortBy }],
    functions: [
      sliceFn,
      flattenFn,
      {
        name: "sort",
        overloads: COMPARABLE.map((type) => member(`list_${type.name}_sort`, [listOf(type)], listOf(type))),
        singleton: (list) => (list instanceof CelList ? sortBy(list, list) : fail("no such overload: sort")),
      },
      {
        name: "@sortByAssociatedKeys",
        overloads: COMPARABLE.map((type) =>
          member(`list_${type.name}_sortByAssociatedKeys`, [LIST_T, listOf(type)], LIST_T),
        ),
        singleton: (list, keys) =>
          list instanceof CelList && keys instanceof CelList
            ? sortBy(list, keys)
            : fail("no such overload: @sortByAssociatedKeys"),
      },
      { name: "lists.range", overloads: [overload("lists_range", [INT], listOf(INT), range)] },
      {
        name: "reverse",
        overloads: [member("list_reverse", [LIST_T], LIST_T, (list) => new ArrayList([...items(list)].reverse()))],
      },
      { name: "distinct", overloads: [member("list_distinct", [LIST_T], LIST_T, distinct)] },
    ],
  };
}
