/** Finds keys by a value computed from the object, so that a query does not look at every object. */
import type { KubeObject } from "@capstan/model";

/** The values under which an object is found. */
export type IndexValues = (object: KubeObject) => readonly string[];

/** Several indexes over one kind. */
export class Indexes {
  readonly #indexes = new Map<string, { readonly values: IndexValues; readonly keys: Map<string, Set<string>> }>();

  has(name: string): boolean {
    return this.#indexes.has(name);
  }

  /** Adds an index and fills it with what is there. */
  define(name: string, values: IndexValues, present: Iterable<readonly [string, KubeObject]>): void {
    const keys = new Map<string, Set<string>>();
    this.#indexes.set(name, { values, keys });
    for (const [key, object] of present) for (const value of values(object)) insert(keys, value, key);
  }

  /** Keys with a value; undefined where there is no such index. */
  lookup(name: string, value: string): ReadonlySet<string> | undefined {
    const index = this.#indexes.get(name);
    return index === undefined ? undefined : (index.keys.get(value) ?? NOTHING);
  }

  /** Takes an object's place from its former self. */
  replace(key: string, old: KubeObject | undefined, object: KubeObject | undefined): void {
    for (const { values, keys } of this.#indexes.values()) {
      if (old !== undefined) for (const value of values(old)) erase(keys, value, key);
      if (object !== undefined) for (const value of values(object)) insert(keys, value, key);
    }
  }
}

const NOTHING: ReadonlySet<string> = new Set<string>();

function insert(keys: Map<string, Set<string>>, value: string, key: string): void {
  const set = keys.get(value);
  if (set === undefined) keys.set(value, new Set([key]));
  else set.add(key);
}

function erase(keys: Map<string, Set<string>>, value: string, key: string): void {
  const set = keys.get(value);
  if (set?.delete(key) === true && set.size === 0) keys.delete(value);
}
