/** Lists of devices and of what is said about them: not too long, each item sound, none twice. */
import { fieldErrors, type FieldError } from "@capstan/model";
import { occursBefore } from "../occurs-before.ts";

/** Checks one item. */
export type CheckItem<T> = (item: T, path: string) => FieldError[];

/** A list of limited length; what is too long is not looked at any further. */
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

/** What a set is made of. */
export interface SetRules<T> {
  readonly limit: number;
  readonly check: CheckItem<T>;
  /** What tells items apart. */
  readonly key: (item: T) => string;
  /** How an item is shown that occurs twice; its key by default. */
  readonly shown?: (item: T) => unknown;
}

/** A list whose items have different keys. */
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

/** A set of texts. */
export function checkTexts(
  items: readonly string[] | null,
  path: string,
  limit: number,
  check: CheckItem<string>,
): FieldError[] {
  return checkSet(items, path, { limit, check, key: (item) => item });
}
