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

const item = "(?:\\[[A-Za-z0-9_.-]+\\]|[A-Za-z0-9_-])";
const simple = new RegExp(`^\\^(?:${item})*(?:${item}(?:[+*?]|\\{\\d+(?:,\\d+)?\\}))?(?:${item})*\\$$`);

/**
 * The same pattern for the engine of JavaScript, if it means the same there and cannot backtrack badly: anchored at both ends, plain
 * ASCII classes, and at most one repetition.
 */
function nativeTwin(pattern: string): RegExp | undefined {
  return pattern.length < 200 && simple.test(pattern) ? new RegExp(pattern) : undefined;
}

function compileNew(pattern: string): Compiled {
  try {
    const expression = RE2JS.compile(pattern);
    const twin = nativeTwin(pattern);
    return { matches: (text) => (twin === undefined ? expression.test(text) : twin.test(text)) };
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
