/** The patterns of schemas: RE2, compiled once, matched in counted work, with Go's messages for errors. */
import { compilePattern, PatternError, withoutWork } from "@capstan/cel";

/** The error of a pattern; undefined if it is valid. */
export function patternProblem(pattern: string): string | undefined {
  try {
    compilePattern(pattern);
    return undefined;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return error.message;
  }
}

/** Whether the pattern matches anywhere in the text; an invalid pattern matches nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  try {
    // The pattern was compiled when its schema was accepted; its eviction from the cache must not make objects invalid.
    return withoutWork(() => compilePattern(pattern)).matches(text);
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return false;
  }
}
