/** Patterns in RE2's syntax, matched in linear time. */

import { RE2JS } from "re2js";

/** Why a pattern is none. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** A compiled pattern. */
export interface Pattern {
  matches(text: string): boolean;
  /** The first match, or undefined. */
  find(text: string): string | undefined;
  /** Up to `limit` matches that do not overlap; all when it is negative. */
  findAll(text: string, limit: number): readonly string[];
}

/** Patterns are few and used often; the cache is small so that computed ones cannot fill the memory. */
const CACHED = 256;
const cache = new Map<string, Pattern>();

export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known) return known;
  const pattern = compile(source);
  if (cache.size >= CACHED) cache.clear();
  cache.set(source, pattern);
  return pattern;
}

function compile(source: string): Pattern {
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(source);
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : String(error));
  }
  return {
    matches: (text) => compiled.test(text),
    find: (text) => {
      const matcher = compiled.matcher(text);
      return matcher.find() ? (matcher.group() ?? undefined) : undefined;
    },
    findAll: (text, limit) => findAll(compiled, text, limit),
  };
}

/** Go skips an empty match that directly follows another match. */
function findAll(compiled: RE2JS, text: string, limit: number): readonly string[] {
  const found: string[] = [];
  const matcher = compiled.matcher(text);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  let previousEnd = -1;
  for (let more = most > 0 && matcher.find(); more; more = found.length < most && matcher.find()) {
    const empty = matcher.start() === matcher.end();
    if (!empty || matcher.start() !== previousEnd) found.push(matcher.group() ?? "");
    previousEnd = matcher.end();
  }
  return found;
}
