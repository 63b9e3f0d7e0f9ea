/** Finds keys by a value computed from the object, so that a query does not scan every object. */
import type { KubeObject } from "@capstan/model";
import { RuntimeError } from "../errors.ts";

/** The values under which an object is found. */
export type IndexValues = (object: KubeObject) => readonly string[];

/** The identity of an index: a name, or the function that computes it, which is unique. */
export type IndexId = string | IndexValues;

/** The keys of each value. Most owners have one child of a kind, so a single key needs no set. */
type Keys = Map<string, string | Set<string>>;

/** Receives failures and timings of user functions that are called while events are processed. */
export interface UserCalls {
  readonly failed: (what: string, object: KubeObject, error: unknown) => void;
  readonly succeeded: (what: string, object: KubeObject) => void;
}

/** Several indexes over one kind. */
export class Indexes {
  readonly #indexes = new Map<IndexId, { readonly values: IndexValues; readonly keys: Keys }>();

  has(id: IndexId): boolean {
    return this.#indexes.has(id);
  }

  /** Adds an index and fills it with the existing objects. */
  define(id: IndexId, values: IndexValues, present: Iterable<readonly [string, KubeObject]>): void {
    const keys: Keys = new Map<string, string | Set<string>>();
    this.#indexes.set(id, { values, keys });
    for (const [key, object] of present) for (const value of values(object)) insert(keys, value, key);
  }

  /** The keys for a value; undefined if the index does not exist. */
  lookup(id: IndexId, value: string): Iterable<string> | undefined {
    const index = this.#indexes.get(id);
    if (index === undefined) return undefined;
    const found = index.keys.get(value) ?? NOTHING;
    return typeof found === "string" ? [found] : found;
  }

  /** The values that an index has for an object, whether or not it is in the index. */
  valuesOf(id: IndexId, object: KubeObject): readonly string[] {
    return this.#indexes.get(id)?.values(object) ?? [];
  }

  /** Replaces the entries of the old object by those of the new one. */
  replace(key: string, old: KubeObject | undefined, object: KubeObject | undefined): void {
    for (const { values, keys } of this.#indexes.values()) {
      if (old !== undefined) for (const value of values(old)) erase(keys, value, key);
      if (object !== undefined) for (const value of values(object)) insert(keys, value, key);
    }
  }
}

/**
 * User functions run here while events are processed: an object for which one fails is in no entry of the index, and the event is not
 * lost.
 */
export function orNone(name: string, values: IndexValues, calls: UserCalls | undefined): IndexValues {
  const what = `index "${name}"`;
  return (object) => {
    try {
      const found = values(object);
      if (!Array.isArray(found)) throw noList();
      calls?.succeeded(what, object);
      return found;
    } catch (error) {
      calls?.failed(what, object, error);
      return [];
    }
  };
}

function noList(): RuntimeError {
  return new RuntimeError("BadOutcome", "Cannot use what the index returned: return a list of texts, empty for none.");
}

const NOTHING: ReadonlySet<string> = new Set<string>();

function insert(keys: Keys, value: string, key: string): void {
  const known = keys.get(value);
  if (known === undefined) keys.set(value, key);
  else if (typeof known !== "string") known.add(key);
  else if (known !== key) keys.set(value, new Set([known, key]));
}

function erase(keys: Keys, value: string, key: string): void {
  const known = keys.get(value);
  if (known === key) keys.delete(value);
  else if (typeof known === "object" && known.delete(key) && known.size === 0) keys.delete(value);
}
