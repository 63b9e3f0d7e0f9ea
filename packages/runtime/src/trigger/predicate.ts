/** Predicates: pure functions of the old and the new object that drop events. */
import type { KubeObject, ObjectOf, Kind } from "@capstan/model";
import type { Change } from "../cache/change.ts";

/**
 * Decides whether a change passes.
 *
 * @example
 * const isAdded: Predicate = (change) => change.type === "added";
 * controller(Memcached, { predicate: isAdded }, () => undefined);
 */
export type Predicate = (change: Change) => boolean;

/**
 * Passes every change, also of the status.
 *
 * @example
 * controller(Memcached, { predicate: anyChange }, () => undefined);
 */
export const anyChange: Predicate = () => true;

/**
 * Passes changes of the desired state, which the server counts in `metadata.generation`.
 *
 * @example
 * controller(Memcached, { predicate: generationChanged }, () => undefined);
 */
export const generationChanged: Predicate = updates((old, now) => old.metadata.generation !== now.metadata.generation);

/**
 * Passes changes of labels.
 *
 * @example
 * controller(Memcached, { predicate: anyOf(generationChanged, labelsChanged) }, () => undefined);
 */
export const labelsChanged: Predicate = updates((old, now) => !sameTexts(old.metadata.labels, now.metadata.labels));

/**
 * Passes changes of annotations.
 *
 * @example
 * controller(Memcached, { predicate: annotationsChanged }, () => undefined);
 */
export const annotationsChanged: Predicate = updates(
  (old, now) => !sameTexts(old.metadata.annotations, now.metadata.annotations),
);

/** Passes changes of the status. */
export const statusChanged: Predicate = (change) =>
  change.type === "updated" &&
  change.old !== undefined &&
  !sameJson(valueAt(change.old, ["status"]), valueAt(change.object, ["status"]));

/**
 * Passes the start of a deletion, and changes of finalizers.
 *
 * @example
 * controller(Memcached, { predicate: anyOf(generationChanged, deletionChanged) }, () => undefined);
 */
export const deletionChanged: Predicate = updates(
  (old, now) =>
    old.metadata.deletionTimestamp !== now.metadata.deletionTimestamp ||
    (old.metadata.finalizers?.join() ?? "") !== (now.metadata.finalizers?.join() ?? ""),
);

/** Kinds without a generation (ConfigMap, Secret, ...) have only desired state. */
const hasNoGeneration: Predicate = updates((_old, now) => now.metadata.generation === undefined);

/**
 * Passes changes that at least one of the predicates passes.
 *
 * @example
 * controller(Memcached, { predicate: anyOf(desiredStateChanged, fieldsChanged(Memcached, "status.nodes")) }, () => undefined);
 */
export function anyOf(...predicates: readonly Predicate[]): Predicate {
  return (change) => predicates.some((predicate) => predicate(change));
}

/**
 * Passes changes that all predicates pass.
 *
 * @example
 * controller(Memcached, { predicate: allOf(generationChanged, not(deletionChanged)) }, () => undefined);
 */
export function allOf(...predicates: readonly Predicate[]): Predicate {
  return (change) => predicates.every((predicate) => predicate(change));
}

/**
 * Passes changes that the predicate drops.
 *
 * @example
 * controller(Memcached, { predicate: not(annotationsChanged) }, () => undefined);
 */
export function not(predicate: Predicate): Predicate {
  return (change) => !predicate(change);
}

/**
 * The default predicate of a controller: everything but changes of the status.
 *
 * @example
 * controller(Memcached, { predicate: anyOf(desiredStateChanged, fieldsChanged(Memcached, "status.nodes")) }, () => undefined);
 */
export const desiredStateChanged: Predicate = anyOf(
  generationChanged,
  labelsChanged,
  annotationsChanged,
  deletionChanged,
  hasNoGeneration,
);

/** Paths into a type, with dots; three levels are enough for predicates and keep the compiler fast. */
export type FieldPath<T, Depth extends 0 | 1 | 2 | 3 = 3> = Depth extends 0
  ? never
  : T extends readonly unknown[] | string | number | boolean | null | undefined
    ? never
    : {
        [N in keyof T & string]:
          | N
          | (FieldPath<NonNullable<T[N]>, Shallower[Depth]> extends infer P extends string ? `${N}.${P}` : never);
      }[keyof T & string];

interface Shallower {
  readonly 0: 0;
  readonly 1: 0;
  readonly 2: 1;
  readonly 3: 2;
}

/** The type of the value at a path. */
export type ValueAt<T, P extends string> = P extends `${infer N}.${infer Rest}`
  ? N extends keyof NonNullable<T>
    ? ValueAt<NonNullable<T>[N], Rest>
    : never
  : P extends keyof NonNullable<T>
    ? NonNullable<T>[P]
    : never;

/**
 * Passes changes of one of these fields. The compiler checks the paths against the kind.
 *
 * @example
 * controller(Memcached, { predicate: fieldsChanged(Memcached, "spec.size", "metadata.labels") }, () => undefined);
 */
export function fieldsChanged<K extends Kind>(_kind: K, ...paths: readonly FieldPath<ObjectOf<K>>[]): Predicate {
  const split = paths.map((path: string) => path.split("."));
  return updates((old, now) => split.some((path) => !sameJson(valueAt(old, path), valueAt(now, path))));
}

/** Creations and deletions always pass; updates pass if the test holds. */
function updates(test: (old: KubeObject, now: KubeObject) => boolean): Predicate {
  // The object of a first list is parsed on access, so it must not be accessed without need.
  return (change) => change.type !== "updated" || change.old === undefined || test(change.old, change.object);
}

function sameTexts(a: { readonly [name: string]: string } = {}, b: { readonly [name: string]: string } = {}): boolean {
  for (const name in a) if (a[name] !== b[name]) return false;
  for (const name in b) if (!(name in a)) return false;
  return true;
}

/** The value at a path, if there is one. */
export function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== "object" || at === null) return undefined;
    at = (at as { readonly [name: string]: unknown })[name];
  }
  return at;
}

function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
