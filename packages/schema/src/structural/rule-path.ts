/** The simple paths that rules and selectable fields use to point at a field: `.spec.size`, `.spec['the-key']`. */
import type { Schema } from "./schema.ts";

/** The target of a path: the field path in the server's notation, its first step, and the schema there. */
export interface RulePath {
  readonly path: string;
  readonly root: string;
  readonly schema: Schema | undefined;
}

/** A path, or its error. */
export type ParsedRulePath = RulePath | { readonly problem: string };

class PathError extends Error {}

function fail(message: string): never {
  throw new PathError(message);
}

/** Follows a path through a schema. */
export function parseRulePath(text: string, schema: Schema, allowArrayNotation = true): ParsedRulePath {
  try {
    return follow(tokens(text), schema, allowArrayNotation);
  } catch (error) {
    if (error instanceof PathError) return { problem: error.message };
    throw error;
  }
}

/** Delimiters, quoted names and plain names, in order. */
function tokens(text: string): string[] {
  const found: string[] = [];
  let rest = text;
  while (rest !== "") {
    const token = nextToken(rest);
    found.push(token);
    rest = rest.slice(token.length);
  }
  return found;
}

function nextToken(text: string): string {
  if (text.startsWith("'")) {
    for (let i = 1; i < text.length; i++) if (text[i] === "'" && text[i - 1] !== "\\") return text.slice(0, i + 1);
    return text;
  }
  if (/^[.[\]]/.test(text)) return text.slice(0, 1);
  return /^[^.[\]]+/.exec(text)?.[0] ?? text;
}

function follow(all: readonly string[], schema: Schema, allowArrayNotation: boolean): RulePath {
  let state: { path: string | undefined; root: string; schema: Schema | undefined } = {
    path: undefined,
    root: "",
    schema,
  };
  const queue = [...all];
  const next = (): string => queue.shift() ?? fail("unexpected end of JSON path");
  while (queue.length > 0) {
    const token = next();
    if (token === ".") state = step(state, next());
    else if (token === "[") {
      if (!allowArrayNotation) fail("array notation is not allowed");
      state = step(state, unquote(next()));
      const closing = next();
      if (closing !== "]") fail(`expected ] but got ${closing}`);
    } else fail(`expected [ or . but got: ${token}`);
  }
  return { path: state.path ?? "<nil>", root: state.root, schema: state.schema };
}

type State = { path: string | undefined; root: string; schema: Schema | undefined };

function step({ path, root, schema }: State, name: string): State {
  if (schema?.properties !== undefined) {
    const found = schema.properties.get(name) ?? fail("does not refer to a valid field");
    return { path: path === undefined ? name : `${path}.${name}`, root: root || name, schema: found };
  }
  if (schema?.additionalProperties === undefined) return fail("does not refer to a valid field");
  return { path: `${path ?? ""}[${name}]`, root: root || `[${name}]`, schema: schema.additionalProperties.schema };
}

const escapes: Readonly<Record<string, string>> = {
  a: "\u0007",
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "'": "'",
  "\\": "\\",
};

function unquote(token: string): string {
  if (token.length < 2 || !token.startsWith("'") || !token.endsWith("'"))
    return fail(`expected single quoted string but got ${token}`);
  return token
    .slice(1, -1)
    .replace(
      /\\./g,
      (escape) => escapes[escape.slice(1)] ?? fail(`invalid string literal: invalid escape char ${escape}`),
    );
}
