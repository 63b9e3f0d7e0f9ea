/** Reconciles field sets with a changed schema: what became atomic is owned as a whole. */
import { FieldSetBuilder, recursiveDifferenceOf, unionOf, type FieldSet } from "../fields/field-set.ts";
import type { PathElement } from "../fields/path-element.ts";
import { fieldType, type MapType, type TypeRef, type TypeSchema } from "../schema/type-schema.ts";
import { preferredShape } from "./shape.ts";

/** Sets that are known to match a type: neither ever changes. */
const inLine = new WeakMap<FieldSet, TypeSchema>();

/** The set under the current schema; the same set when nothing changed. */
export function reconcileFields(set: FieldSet, type: TypeSchema): FieldSet {
  if (inLine.get(set) === type) return set;
  const walk: Walk = { path: [], atomic: new FieldSetBuilder(), found: false };
  visit({ set, isWhole: false }, type, walk);
  if (walk.found) return unionOf(recursiveDifferenceOf(set, walk.atomic), walk.atomic);
  inLine.set(set, type);
  return set;
}

interface Walk {
  readonly path: PathElement[];
  /** The paths that are owned as a whole from now on. */
  readonly atomic: FieldSetBuilder;
  found: boolean;
}

/** The owned part of a value: all of it, or the fields of a set. */
interface Owned {
  readonly set: FieldSet | undefined;
  readonly isWhole: boolean;
}

function visit(owned: Owned, type: TypeSchema, walk: Walk): void {
  switch (preferredShape(type, "any")) {
    case "scalar":
      return;
    case "list":
      if (type.list?.kind === "atomic") return owned.isWhole ? undefined : makeAtomic(walk);
      return visitSteps(owned.set, () => type.list?.element, walk);
    case "map":
      return visitMap(owned, type.map, walk);
  }
}

function visitMap(owned: Owned, map: MapType | undefined, walk: Walk): void {
  if (map === undefined || map.isFreeForm) return;
  if (map.kind === "atomic" && !owned.isWhole) {
    if (owned.set !== undefined && (owned.set.members.size > 0 || owned.set.children.size > 0)) makeAtomic(walk);
    return;
  }
  visitSteps(owned.set, (step) => (step.startsWith("f:") ? fieldType(map, step.slice(2)) : map.element), walk);
}

function visitSteps(set: FieldSet | undefined, typeOf: (step: PathElement) => TypeRef | undefined, walk: Walk): void {
  if (set === undefined) return;
  const visitStep = (step: PathElement, isMember: boolean): void => {
    const type = typeOf(step);
    if (type === undefined) return;
    const child = set.children.get(step);
    walk.path.push(step);
    visit({ set: child, isWhole: isMember && child === undefined }, type(), walk);
    walk.path.pop();
  };
  for (const step of set.children.keys()) if (!set.members.has(step)) visitStep(step, false);
  for (const step of set.members) visitStep(step, true);
}

function makeAtomic(walk: Walk): void {
  walk.found = true;
  walk.atomic.insert(walk.path);
}
