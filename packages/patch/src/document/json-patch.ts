/** JSON patch (RFC 6902), with the interpretation and the messages of the library that kube-apiserver uses. */
import { byteLength, toGoJson, type Json } from "@capstan/model";
import { PatchError, refuseTooDeep } from "../errors.ts";
import { isList, isObject, setField, type JsonDraft, type JsonObject } from "../json-value.ts";
import { checkOperations } from "./decode.ts";
import { indexForAdd, indexForRemove, indexOf, parsePointer } from "./pointer.ts";

/** The limits of a patch. */
export interface JsonPatchLimits {
  readonly maxOperations: number;
  /** The bytes that all `copy` operations together may add. */
  readonly maxCopyBytes: number;
}

/** The limits of kube-apiserver. */
export const jsonPatchLimits: JsonPatchLimits = { maxOperations: 10_000, maxCopyBytes: 3 * 1024 * 1024 };

/** Applies a JSON patch; the document is not changed, and untouched parts are shared. */
export function applyJsonPatch(document: Json, patch: Json, limits: JsonPatchLimits = jsonPatchLimits): Json {
  const operations = checkOperations(patch, limits.maxOperations);
  const editor = new DocumentEditor(document, limits.maxCopyBytes);
  refuseTooDeep(() => operations.forEach((operation) => editor.run(operation)));
  return editor.root;
}

type Container = JsonDraft | Json[];
type Located = { readonly container: Container; readonly key: string };

/** Holds the document while operations run: each container is copied on its first write. */
class DocumentEditor {
  root: Json;
  readonly #maxCopyBytes: number;
  readonly #owned = new Set<unknown>();
  #copiedBytes = 0;

  constructor(root: Json, maxCopyBytes: number) {
    this.root = root;
    this.#maxCopyBytes = maxCopyBytes;
  }

  run(operation: JsonObject): void {
    const kind = typeof operation["op"] === "string" ? operation["op"] : "unknown";
    switch (kind) {
      case "add":
        return this.#add(operation);
      case "remove":
        return this.#remove(operation);
      case "replace":
        return this.#replace(operation);
      case "move":
        return this.#move(operation);
      case "test":
        return this.#test(operation);
      case "copy":
        return this.#copy(operation);
      default:
        throw failure(`Unexpected kind: ${kind}`);
    }
  }

  #add(operation: JsonObject): void {
    const path = operation["path"];
    if (typeof path !== "string") throw failure("add operation failed to decode path: missing value");
    const place = this.#locate(path);
    if (place === undefined) {
      throw failure(`add operation does not apply: doc is missing path: "${path}": missing value`);
    }
    named(`error in add for path: '${path}'`, () => insert(place, operation["value"] ?? null));
  }

  #remove(operation: JsonObject): void {
    const path = operation["path"];
    if (typeof path !== "string") throw failure("remove operation failed to decode path: missing value");
    const place = this.#locate(path);
    if (place === undefined) {
      throw failure(`remove operation does not apply: doc is missing path: "${path}": missing value`);
    }
    named(`error in remove for path: '${path}'`, () => remove(place));
  }

  #replace(operation: JsonObject): void {
    const path = readText(operation, "path", "replace");
    const value = operation["value"] ?? null;
    if (path === "") return this.#replaceRoot(value);
    const place = this.#locate(path);
    if (place === undefined) {
      throw failure(`replace operation does not apply: doc is missing path: ${path}: missing value`);
    }
    if (Array.isArray(place.container)) replaceItem(place.container, place.key, { path, value });
    else setField(place.container, place.key, value);
  }

  #replaceRoot(value: Json): void {
    // The stray verb is part of the server's message.
    if (typeof value !== "object" || value === null) {
      throw failure("replace operation value must be object or array: %!w(<nil>)");
    }
    this.root = value;
  }

  #move(operation: JsonObject): void {
    const from = readText(operation, "from", "move");
    const source = this.#locate(from);
    if (source === undefined) {
      throw failure(`move operation does not apply: doc is missing from path: ${from}: missing value`);
    }
    const value = named(`error in move for path: '${source.key}'`, () => {
      const found = read(source);
      remove(source);
      return found ?? null;
    });
    const path = readText(operation, "path", "move");
    const target = this.#locate(path);
    if (target === undefined) {
      throw failure(`move operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    named(`error in move for path: '${path}'`, () => insert(target, value));
  }

  #test(operation: JsonObject): void {
    const path = readText(operation, "path", "test");
    const expected = operation["value"] ?? null;
    if (path === "") return checkTest(path, isDeeplySame(this.root, expected));
    const place = this.#find(path);
    if (place === undefined) {
      throw failure(`test operation does not apply: is missing path: ${path}: missing value`);
    }
    const actual = named(`error in test for path: '${path}'`, () => read(place) ?? null);
    checkTest(path, isDeeplySame(actual, expected));
  }

  #copy(operation: JsonObject): void {
    const from = readText(operation, "from", "copy");
    const source = this.#find(from);
    if (source === undefined) {
      throw failure(`copy operation does not apply: doc is missing from path: ${from}: missing value`);
    }
    const value = named(`error in copy for from: '${from}'`, () => read(source));
    const path = operation["path"];
    if (typeof path !== "string") throw failure("copy operation failed to decode path: missing value");
    const target = this.#locate(path);
    if (target === undefined) {
      throw failure(`copy operation does not apply: doc is missing destination path: ${path}: missing value`);
    }
    named("error while adding value during copy", () => insert(target, this.#duplicate(value)));
  }

  /** A copy that shares nothing with containers that later operations may write to. */
  #duplicate(value: Json | undefined): Json {
    if (value === undefined || value === null) return null;
    const text = toGoJson(value);
    this.#copiedBytes += byteLength(text);
    if (this.#maxCopyBytes > 0 && this.#copiedBytes > this.#maxCopyBytes) {
      throw new CopyLimitError(this.#copiedBytes, this.#maxCopyBytes);
    }
    return JSON.parse(text) as Json;
  }

  /** The container of a pointer's last step, made writable; undefined when the path to it does not exist. */
  #locate(pointer: string): Located | undefined {
    const steps = parsePointer(pointer);
    const key = steps?.pop();
    if (steps === undefined || key === undefined || this.#walk(steps) === undefined) return undefined;
    this.root = this.#own(this.root);
    let container = this.root as Container;
    for (const step of steps) {
      const slot = Array.isArray(container) ? indexOf(container, step) : step;
      const child = this.#own((container as JsonDraft)[slot] ?? null);
      if (Array.isArray(container)) container[Number(slot)] = child;
      else setField(container, step, child);
      container = child as Container;
    }
    return { container, key };
  }

  #find(pointer: string): Located | undefined {
    const steps = parsePointer(pointer);
    const key = steps?.pop();
    const container = steps && this.#walk(steps);
    return container === undefined || key === undefined ? undefined : { container: container as Container, key };
  }

  #walk(steps: readonly string[]): JsonObject | readonly Json[] | undefined {
    let current: Json | undefined = this.root;
    for (const step of steps) {
      if (isList(current)) current = childOrUndefined(current, step);
      else if (isObject(current) && Object.hasOwn(current, step)) current = current[step];
      else return undefined;
    }
    return isList(current) || isObject(current) ? current : undefined;
  }

  #own(value: Json): Json {
    if (this.#owned.has(value)) return value;
    const copy = isList(value) ? [...value] : { ...(value as JsonObject) };
    this.#owned.add(copy);
    return copy;
  }
}

/** The copies of a patch together are too large. */
class CopyLimitError extends PatchError {
  constructor(accumulated: number, limit: number) {
    const what = `the accumulated size increase of copy is ${accumulated}, exceeding the limit ${limit}`;
    super("Unprocessable", `Unable to complete the copy, ${what}`);
  }
}

function failure(message: string): PatchError {
  return new PatchError("Unprocessable", message);
}

/** Runs a step and prefixes the message of its error with the operation. */
function named<T>(context: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    if (error instanceof CopyLimitError || !(error instanceof PatchError)) throw error;
    throw failure(`${context}: ${error.message}`);
  }
}

function readText(operation: JsonObject, field: "path" | "from", kind: string): string {
  const text = operation[field];
  if (typeof text === "string") return text;
  if (text !== undefined && text !== null) {
    throw failure(`${kind} operation failed to decode ${field}: ${notText(text)}`);
  }
  const missing = field === "path" ? "operation missing path field" : "operation, missing from field";
  throw failure(`${kind} operation failed to decode ${field}: ${missing}: missing value`);
}

function notText(value: Json): string {
  const kind = isList(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return `json: cannot unmarshal ${kind} into Go value of type string`;
}

function checkTest(path: string, passed: boolean): void {
  if (!passed) throw failure(`testing value ${path} failed: test failed`);
}

function read({ container, key }: Located): Json | undefined {
  if (Array.isArray(container)) return container[indexOf(container, key)];
  return Object.hasOwn(container, key) ? container[key] : undefined;
}

function insert({ container, key }: Located, value: Json): void {
  if (Array.isArray(container)) container.splice(indexForAdd(container, key), 0, value);
  else setField(container, key, value);
}

function remove({ container, key }: Located): void {
  if (Array.isArray(container)) {
    container.splice(indexForRemove(container, key), 1);
  } else if (Object.hasOwn(container, key)) {
    delete container[key];
  } else {
    throw failure(`Unable to remove nonexistent key: ${key}: missing value`);
  }
}

function replaceItem(list: Json[], key: string, { path, value }: { path: string; value: Json }): void {
  const index = childIndex(list, key);
  if (index === undefined) {
    throw failure(`replace operation does not apply: doc is missing key: ${path}: missing value`);
  }
  list[index] = value;
}

function childIndex(list: readonly Json[], key: string): number | undefined {
  try {
    return indexOf(list, key);
  } catch {
    return undefined;
  }
}

function childOrUndefined(list: readonly Json[], step: string): Json | undefined {
  const index = childIndex(list, step);
  return index === undefined ? undefined : list[index];
}

/** Deep equality; unlike in merging, a field that is null differs from one that is absent. */
function isDeeplySame(left: Json | undefined, right: Json | undefined): boolean {
  if (left === right) return true;
  if (isList(left)) {
    return isList(right) && left.length === right.length && left.every((item, i) => isDeeplySame(item, right[i]));
  }
  if (!isObject(left) || !isObject(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every((key) => Object.hasOwn(right, key) && isDeeplySame(left[key], right[key]));
}
