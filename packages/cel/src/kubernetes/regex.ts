/** Kubernetes' pattern functions: find and findAll. */

import type { Implementation } from "../check/declarations.ts";
import { member } from "../check/declarations.ts";
import type { Library } from "../library/library.ts";
import type { Pattern } from "../pattern/pattern.ts";
import { compilePattern, PatternError } from "../pattern/pattern.ts";
import { INT, listOf, STRING } from "../type.ts";
import type { CelResult, CelValue } from "../values/value.ts";
import { ArrayList, fail } from "../values/value.ts";

function withPattern(source: CelValue | undefined, use: (pattern: Pattern) => CelResult): CelResult {
  try {
    return use(compilePattern(source as string));
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return fail(`Illegal regex: ${error.message}`);
  }
}

const find: Implementation = (text, source) => withPattern(source, (pattern) => pattern.find(text as string) ?? "");
const findAll: Implementation = (text, source, limit) =>
  withPattern(
    source,
    (pattern) => new ArrayList([...pattern.findAll(text as string, limit === undefined ? -1 : Number(limit))]),
  );

export const KUBERNETES_REGEX: Library = {
  name: "kubernetes.regex",
  functions: [
    { name: "find", overloads: [member("string_find_string", [STRING, STRING], STRING, find)] },
    {
      name: "findAll",
      overloads: [
        member("string_find_all_string", [STRING, STRING], listOf(STRING), findAll),
        member("string_find_all_string_int", [STRING, STRING, INT], listOf(STRING), findAll),
      ],
    },
  ],
};
