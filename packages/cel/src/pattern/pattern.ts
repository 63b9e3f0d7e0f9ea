/** Patterns in RE2's syntax: compiled once, matched in time that is linear in the text and counted as work. */

import { spend } from "../work.ts";
import { Finder } from "./finder.ts";
import { Matcher } from "./matcher.ts";
import { compileProgram } from "./program.ts";

export { PatternError } from "./program.ts";

/** A compiled pattern. */
export interface Pattern {
  /** Whether it matches anywhere in the text. */
  matches(text: string): boolean;
  /** The first match, or undefined. */
  find(text: string): string | undefined;
  /** Up to `limit` matches that do not overlap; all when it is negative. */
  findAll(text: string, limit: number): readonly string[];
}

/** The cache bounds the number of patterns and their instructions, so that neither can fill the memory. */
const MOST_PATTERNS = 10_000;
const MOST_INSTRUCTIONS = 500_000;
const cache = new Map<string, Pattern>();
let cached = 0;

/** The pattern of a source; throws a PatternError when it is invalid. */
export function compilePattern(source: string): Pattern {
  const known = cache.get(source);
  if (known) return known;
  const { pattern, size } = compile(source);
  if (cache.size >= MOST_PATTERNS || cached + size > MOST_INSTRUCTIONS) {
    cache.clear();
    cached = 0;
  }
  cache.set(source, pattern);
  cached += size;
  return pattern;
}

const item = "(?:\\[[A-Za-z0-9_.-]+\\]|[A-Za-z0-9_-])";
const simple = new RegExp(`^\\^(?:${item})*(?:${item}(?:[+*?]|\\{\\d+(?:,\\d+)?\\}))?(?:${item})*\\$$`);

/**
 * The same pattern for the engine of JavaScript, if it means the same there and cannot backtrack badly: anchored at both ends, plain
 * ASCII classes, and at most one repetition.
 */
function nativeTwin(source: string): RegExp | undefined {
  return source.length < 200 && simple.test(source) ? new RegExp(source) : undefined;
}

function compile(source: string): { readonly pattern: Pattern; readonly size: number } {
  const program = compileProgram(source);
  const twin = nativeTwin(source);
  const matcher = new Matcher(program);
  let finder: Finder | undefined;
  const findAll = (text: string, limit: number): string[] => allMatches((finder ??= new Finder(program)), text, limit);
  const pattern: Pattern = {
    matches: (text) => (twin === undefined ? matcher.matches(text) : matchNatively(twin, text)),
    find: (text) => findAll(text, 1)[0],
    findAll,
  };
  return { pattern, size: program.instructions.length };
}

function matchNatively(twin: RegExp, text: string): boolean {
  spend(1 + text.length / 4);
  return twin.test(text);
}

/** All matches as Go counts them: an empty match that directly follows another one is skipped. */
function allMatches(finder: Finder, text: string, limit: number): string[] {
  const all: string[] = [];
  const most = limit < 0 ? Number.POSITIVE_INFINITY : limit;
  let previousEnd = -1;
  for (let from = 0; all.length < most && from <= text.length;) {
    const found = finder.find(text, from);
    if (!found) break;
    const { start, end } = found;
    if (end > from || start !== previousEnd) all.push(text.slice(start, end));
    from = end > from ? end : from + ((text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1);
    previousEnd = end;
  }
  return all;
}
