/** Sets of field paths: owned, changed or removed fields. Immutable; operations share what they can. */
import { formatElement, sortElements, type PathElement } from "./path-element.ts";

/** A path into a value. */
export type FieldPath = readonly PathElement[];

/** A set of paths as a tree: the steps that are in the set, and below each step the remaining paths. */
export interface FieldSet {
  readonly members: ReadonlySet<PathElement>;
  readonly children: ReadonlyMap<PathElement, FieldSet>;
}

const noMembers: ReadonlySet<PathElement> = new Set();
const noChildren: ReadonlyMap<PathElement, FieldSet> = new Map();

/** The empty set. */
export const emptyFieldSet: FieldSet = { members: noMembers, children: noChildren };

/** A set under construction; only its creator may change it. */
export class FieldSetBuilder implements FieldSet {
  readonly members: Set<PathElement> = new Set();
  readonly children: Map<PathElement, FieldSetBuilder> = new Map();

  /** Adds a path; the empty path is not a field and is ignored. */
  insert(path: FieldPath): void {
    this.#insertFrom(path, 0);
  }

  #insertFrom(path: FieldPath, at: number): void {
    const element = path[at];
    if (element === undefined) return;
    if (at === path.length - 1) this.members.add(element);
    else this.descend(element).#insertFrom(path, at + 1);
  }

  /** The set below a step, created if it does not exist. */
  descend(element: PathElement): FieldSetBuilder {
    let child = this.children.get(element);
    if (child === undefined) {
      child = new FieldSetBuilder();
      this.children.set(element, child);
    }
    return child;
  }
}

/** A set of these paths. */
export function fieldSetOf(...paths: readonly FieldPath[]): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder;
}

/** Whether the set is empty. */
export function isEmptySet(set: FieldSet): boolean {
  if (set.members.size > 0) return false;
  for (const child of set.children.values()) if (!isEmptySet(child)) return false;
  return true;
}

/** Whether a path is in the set. */
export function hasPath(set: FieldSet, path: FieldPath): boolean {
  let node: FieldSet | undefined = set;
  for (const element of path.slice(0, -1)) {
    node = node.children.get(element);
    if (node === undefined) return false;
  }
  const last = path.at(-1);
  return last !== undefined && node.members.has(last);
}

/** The union of both sets. */
export function unionOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isBare(left)) return right;
  if (isBare(right) || left === right) return left;
  const children = new Map(left.children);
  for (const [element, child] of right.children) {
    const other = children.get(element);
    children.set(element, other === undefined ? child : unionOf(other, child));
  }
  return { members: left.members.union(right.members), children };
}

/** The intersection of both sets. */
export function intersectionOf(left: FieldSet, right: FieldSet): FieldSet {
  if (left === right) return left;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    const common = other && intersectionOf(child, other);
    if (common !== undefined && !isEmptySet(common)) children.set(element, common);
  }
  return { members: left.members.intersection(right.members), children };
}

/** The paths of the left that are not in the right; a path does not include those below it. */
export function differenceOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isBare(right)) return left;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    const rest = other === undefined ? child : differenceOf(child, other);
    if (rest === child || !isEmptySet(rest)) children.set(element, rest);
  }
  return { members: left.members.difference(right.members), children };
}

/** The paths of the left that are neither in the right nor below a path of it. */
export function recursiveDifferenceOf(left: FieldSet, right: FieldSet): FieldSet {
  if (isBare(right)) return left;
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of left.children) {
    if (right.members.has(element)) continue;
    const other = right.children.get(element);
    const rest = other === undefined ? child : recursiveDifferenceOf(child, other);
    if (rest === child || !isEmptySet(rest)) children.set(element, rest);
  }
  return { members: left.members.difference(right.members), children };
}

/** Whether both have the same paths. */
export function isSameSet(left: FieldSet, right: FieldSet): boolean {
  return left === right || (isSubset(left, right) && isSubset(right, left));
}

/** Whether every path of the left is in the right. */
export function isSubset(left: FieldSet, right: FieldSet): boolean {
  if (!left.members.isSubsetOf(right.members)) return false;
  for (const [element, child] of left.children) {
    const other = right.children.get(element);
    if (other === undefined ? !isEmptySet(child) : !isSubset(child, other)) return false;
  }
  return true;
}

/** The leaves: paths without a longer path of the set below them. */
export function leavesOf(set: FieldSet): FieldSet {
  const children = new Map<PathElement, FieldSet>();
  for (const [element, child] of set.children) children.set(element, leavesOf(child));
  const members = new Set<PathElement>();
  for (const member of set.members) if (!set.children.has(member)) members.add(member);
  return { members, children };
}

/** Every path in order: at each level first the members, then what is below the children. */
export function pathsOf(set: FieldSet, prefix: FieldPath = []): FieldPath[] {
  const members = sortElements(set.members).map((member) => [...prefix, member]);
  const below = sortElements(set.children.keys()).flatMap((element) =>
    pathsOf(set.children.get(element) ?? emptyFieldSet, [...prefix, element]),
  );
  return [...members, ...below];
}

/** The path as messages show it, such as `.spec.containers[name="a"].image`. */
export function formatPath(path: FieldPath): string {
  return path.map(formatElement).join("");
}

function isBare(set: FieldSet): boolean {
  return set.members.size === 0 && set.children.size === 0;
}
