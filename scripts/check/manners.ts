/** Small rules of this repository that no linter has: folders have nouns, notes to self name an issue, disabled checks give a reason. */
import type { Finding } from "./findings.ts";
import { commentsOf, type Source } from "./sources.ts";

const namelessRoom = /(^|\/)(utils?|helpers?|common|shared|misc|types)(\/|\.ts$)/;

export function checkNames(files: readonly string[]): Finding[] {
  return files
    .filter(
      (file) =>
        /^(packages|apps|operators|examples|tools|scripts|bench|test)\//.test(file) &&
        namelessRoom.test(file) &&
        !file.includes("/generated/"),
    )
    .map((file) => ({
      file,
      problem: "a room without a name",
      cure: "call the file by what it holds; what has one user lives beside it",
    }));
}

export function checkComments(sources: readonly Source[]): Finding[] {
  return sources.flatMap((source) =>
    commentsOf(source.text).flatMap(({ line, text }): Finding[] => {
      const finding = judge(text);
      return finding ? [{ file: source.path, line, ...finding }] : [];
    }),
  );
}

function judge(comment: string): Pick<Finding, "problem" | "cure"> | undefined {
  if (/\b(TODO|FIXME|XXX|HACK)\b/.test(comment) && !/#\d+/.test(comment)) {
    return { problem: "a note to self without an issue", cure: "do it now, or name the issue as in (#12)" };
  }
  if (
    /(oxlint|eslint)-disable|@ts-(expect-error|ignore|nocheck)/.test(comment) &&
    !/ -- \S|: \S|@ts-expect-error \S/.test(comment)
  ) {
    return { problem: "a silenced check without a reason", cure: "write the reason behind it, after two dashes" };
  }
  return undefined;
}
