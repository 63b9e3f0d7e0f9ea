/** Lists as sets: contains, equivalent, intersects. */

import type { Implementation } from "../check/declarations.ts";
import { overload } from "../check/declarations.ts";
import { BOOL, listOf, typeParam } from "../type.ts";
import { ValueSet } from "../values/value-set.ts";
import type { CelList, CelValue } from "../values/value.ts";
import type { Library } from "./library.ts";

const LIST_T = listOf(typeParam("T"));

function containsAll(list: CelValue, part: CelValue): boolean {
  const all = new ValueSet((list as CelList).toArray());
  return (part as CelList).toArray().every((item) => all.has(item));
}

const setsContains: Implementation = (list, part) => containsAll(list as CelValue, part as CelValue);
const equivalent: Implementation = (a, b) =>
  containsAll(a as CelValue, b as CelValue) && containsAll(b as CelValue, a as CelValue);
const intersects: Implementation = (a, b) => {
  const others = new ValueSet((b as CelList).toArray());
  return (a as CelList).toArray().some((item) => others.has(item));
};

/** Adds sets.contains, sets.equivalent and sets.intersects. */
export const SETS: Library = {
  name: "sets",
  functions: [
    { name: "sets.contains", overloads: [overload("list_sets_contains_list", [LIST_T, LIST_T], BOOL, setsContains)] },
    { name: "sets.equivalent", overloads: [overload("list_sets_equivalent_list", [LIST_T, LIST_T], BOOL, equivalent)] },
    { name: "sets.intersects", overloads: [overload("list_sets_intersects_list", [LIST_T, LIST_T], BOOL, intersects)] },
  ],
};
