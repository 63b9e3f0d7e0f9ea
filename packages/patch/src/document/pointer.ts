/** JSON pointers (RFC 6901) and positions in lists, negative ones counted from the end as kube-apiserver does. */
import { quote } from "@capstan/model";
import { PatchError } from "../errors.ts";

/** The steps of a pointer; undefined when it has no slash. Anything before the first slash is ignored. */
export function parsePointer(pointer: string): string[] | undefined {
  const [, ...steps] = pointer.split("/");
  return steps.length === 0 ? undefined : steps.map(unescapeStep);
}

/** The position of an existing item. */
export function indexOf(list: readonly unknown[], key: string): number {
  return inRange(parseIndex(key), list.length, list.length - 1);
}

/** The position to insert an item at; `-` is the end. */
export function indexForAdd(list: readonly unknown[], key: string): number {
  if (key === "-") return list.length;
  return inRange(parseAddIndex(key), list.length + 1, list.length);
}

/** The position of an item to remove. */
export function indexForRemove(list: readonly unknown[], key: string): number {
  return indexOf(list, key);
}

function inRange(index: number, size: number, last: number): number {
  if (index > last || index < -size) {
    throw new PatchError("Unprocessable", `Unable to access invalid index: ${index}: invalid index referenced`);
  }
  return index < 0 ? index + size : index;
}

function parseAddIndex(key: string): number {
  try {
    return parseIndex(key);
  } catch (error) {
    const why = error instanceof Error ? error.message : "";
    throw new PatchError("Unprocessable", `value was not a proper array index: '${key}': ${why}`);
  }
}

function parseIndex(key: string): number {
  if (!/^[+-]?[0-9]+$/.test(key)) throw badIndex(key, "invalid syntax");
  const index = Number(key);
  if (index > 2 ** 63 - 1 || index < -(2 ** 63)) throw badIndex(key, "value out of range");
  return index;
}

function badIndex(key: string, why: string): PatchError {
  return new PatchError("Unprocessable", `strconv.Atoi: parsing ${quote(key)}: ${why}`);
}

/** One pass from left to right, so that `~01` means `~1`. */
function unescapeStep(step: string): string {
  return step.includes("~") ? step.replaceAll(/~[01]/g, (escape) => (escape === "~1" ? "/" : "~")) : step;
}
