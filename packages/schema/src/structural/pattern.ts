/** Patterns are RE2: compiled once, matched in linear time, with Go's words for what is wrong with them. */
import { RE2JS } from "re2js";

type Compiled = { readonly matches: (text: string) => boolean } | { readonly problem: string };

const compiled = new Map<string, Compiled>();
const cacheLimit = 10_000;

function compile(pattern: string): Compiled {
  let found = compiled.get(pattern);
  if (found !== undefined) return found;
  found = compileNew(pattern);
  if (compiled.size >= cacheLimit) compiled.clear();
  compiled.set(pattern, found);
  return found;
}

function compileNew(pattern: string): Compiled {
  try {
    const expression = RE2JS.compile(pattern);
    return { matches: (text) => expression.matcher(text).find() };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}

/** What is wrong with a pattern, or nothing. */
export function patternProblem(pattern: string): string | undefined {
  const result = compile(pattern);
  return "problem" in result ? result.problem : undefined;
}

/** Whether the pattern is found anywhere in the text; an invalid pattern matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  const result = compile(pattern);
  return "matches" in result && result.matches(text);
}
