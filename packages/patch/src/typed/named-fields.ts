/** Adds the declared fields on the way to a path to a field set: removing everything in a struct removes the struct. */
import type { FieldSet } from "../fields/field-set.ts";
import type { PathElement } from "../fields/path-element.ts";
import { fieldType, type TypeSchema } from "../schema/type-schema.ts";

/** The set, with every declared field that has something below it as a member. */
export function withNamedFields(set: FieldSet, type: TypeSchema | undefined): FieldSet {
  if (set.children.size === 0) return set;
  const members = new Set(set.members);
  const children = new Map<PathElement, FieldSet>();
  for (const [step, child] of set.children) {
    if (step.startsWith("f:") && type?.map?.fields.has(step.slice(2)) === true) members.add(step);
    children.set(step, withNamedFields(child, typeBelow(type, step)));
  }
  return { members, children };
}

function typeBelow(type: TypeSchema | undefined, step: PathElement): TypeSchema | undefined {
  if (step.startsWith("f:")) return type?.map && fieldType(type.map, step.slice(2))?.();
  return step.startsWith("k:") ? type?.list?.element() : undefined;
}
