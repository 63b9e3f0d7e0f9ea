/** Reads fields of parsed files; errors name the file and the field. */
import { ConfigError } from "../error/config-error.ts";

/** An object in a file. */
export interface Fields {
  text(name: string): string | undefined;
  required(name: string): string;
  flag(name: string): boolean | undefined;
  texts(name: string): readonly string[] | undefined;
  /** A nested object; empty if absent. */
  within(name: string): Fields;
  has(name: string): boolean;
  /** The objects of a list; empty if absent. */
  list(name: string): readonly Fields[];
  /** The names of all present fields. */
  names(): readonly string[];
  raw(name: string): unknown;
}

/** The fields of a value that should be an object. */
export function fieldsOf(value: unknown, file: string, path = ""): Fields {
  const object = value ?? {};
  if (!isObject(object)) throw wrong("an object", path === "" ? "its content" : path);

  function wrong(expected: string, where: string): ConfigError {
    return new ConfigError("Malformed", `Cannot use ${file}: ${where} must be ${expected}. Correct it there.`);
  }

  const at = (name: string): string => (path === "" ? name : `${path}.${name}`);

  function typed<T>(name: string, expected: string, is: (found: unknown) => found is T): T | undefined {
    const found = (object as Record<string, unknown>)[name] ?? undefined;
    if (found === undefined || is(found)) return found;
    throw wrong(expected, at(name));
  }

  const text = (name: string): string | undefined => typed(name, "a string", isText);
  return {
    text,
    required(name) {
      const found = text(name);
      if (found === undefined || found === "") throw wrong("set", at(name));
      return found;
    },
    flag: (name) => typed(name, "true or false", (found) => typeof found === "boolean"),
    texts: (name) => typed(name, "a list of strings", isTexts),
    within: (name) => fieldsOf(typed(name, "an object", isObject), file, at(name)),
    // Null means absent, as in Go.
    has: (name) => (object as Record<string, unknown>)[name] != null,
    list: (name) =>
      (typed(name, "a list", (found): found is unknown[] => Array.isArray(found)) ?? []).map((one, index) =>
        fieldsOf(one, file, `${at(name)}[${index}]`),
      ),
    names: () => Object.keys(object),
    raw: (name) => (object as Record<string, unknown>)[name],
  };
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
