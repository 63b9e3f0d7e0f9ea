/** The files that a change touches, as git sees them. */
import { execFileSync } from "node:child_process";

/** Files that differ from a commit, committed or not; without a base, from where the branch left the main one. */
export function changedFiles(base = mergeBase()): string[] {
  const changed = git("diff", "--name-only", base);
  const added = git("ls-files", "--others", "--exclude-standard");
  return [...new Set([...changed, ...added])].toSorted();
}

function mergeBase(): string {
  for (const branch of ["@{upstream}", "origin/main", "main"]) {
    try {
      const [base] = git("merge-base", "HEAD", branch);
      if (base !== undefined) return base;
    } catch {
      // The branch does not exist here.
    }
  }
  return "HEAD";
}

function git(...args: string[]): string[] {
  const text = execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  return text.split("\n").filter(Boolean);
}
