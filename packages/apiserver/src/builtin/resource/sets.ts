/** Checks of lists and sets of the resource API: length, items, duplicates. */
import { fieldErrors, type FieldError } from "@capstan/model";
import { occursBefore } from "../occurs-before.ts";

/** Checks one item. */
export type CheckItem<T> = (item: T, path: string) => FieldError[];

/** Checks a list of limited length; the items of a longer list are not checked. */
export function checkList<T>(
  items: readonly T[] | null,
  path: string,
  limit: number,
  check: CheckItem<T>,
): FieldError[] {
  if (items === null) return [];
  if (items.length > limit) return [fieldErrors.tooMany(path, items.length, limit)];
  return items.flatMap((item, index) => check(item, `${path}[${index}]`));
}

/** The rules of a set. */
export interface SetRules<T> {
  readonly limit: number;
  readonly check: CheckItem<T>;
  /** Items with equal keys are duplicates. */
  readonly key: (item: T) => string;
  /** The value in the error about a duplicate. Default: its key. */
  readonly shown?: (item: T) => unknown;
}

/** Checks a list with unique keys. */
export function checkSet<T>(items: readonly T[] | null, path: string, rules: SetRules<T>): FieldError[] {
  const { limit, check, key, shown = key } = rules;
  const errors = checkList(items, path, limit, check);
  if (items === null || items.length > limit) return errors;
  const keys = items.map(key);
  const repeated = items.flatMap((item, index) =>
    occursBefore(keys, index) ? [fieldErrors.duplicate(`${path}[${index}]`, shown(item))] : [],
  );
  return [...errors, ...repeated];
}

/** Checks a set of texts. */
export function checkTexts(
  items: readonly string[] | null,
  path: string,
  limit: number,
  check: CheckItem<string>,
): FieldError[] {
  return checkSet(items, path, { limit, check, key: (item) => item });
}
