/** The source files of this repository: what git tracks or would track, with their text. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";

export interface Source {
  readonly path: string;
  readonly text: string;
}

/** Every file that is committed or would be, relative to the repository, in a stable order. */
export function listFiles(): string[] {
  const out = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], {
    encoding: "utf8",
    maxBuffer: 1 << 26,
  });
  return [...new Set(out.split("\n").filter((path) => path !== "" && existsSync(path)))].sort();
}

export function readSources(files: readonly string[], extension = ".ts"): Source[] {
  return files.filter((path) => path.endsWith(extension)).map((path) => ({ path, text: readFileSync(path, "utf8") }));
}

/** Code with comments and the contents of strings blanked out, line breaks kept, so that a word in prose is never mistaken for code. */
export function withoutCommentsAndStrings(text: string): string {
  return blank(text, /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g);
}

/** Code with comments and template literals blanked out: generated code in them is not an import of the program. */
export function withoutTemplates(text: string): string {
  const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g;
  return text.replace(token, (found) => (/^[`/]/.test(found) ? found.replaceAll(/[^\n]/g, " ") : found));
}

/** Comments alone, everything else blanked out. */
export function commentsOf(text: string): { line: number; text: string }[] {
  const comments: { line: number; text: string }[] = [];
  const pattern = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\/[^\n]*|\/\*[\s\S]*?\*\//g;
  for (const match of text.matchAll(pattern)) {
    if (!match[0].startsWith("/")) continue;
    match[0]
      .split("\n")
      .forEach((line, offset) => comments.push({ line: lineAt(text, match.index) + offset, text: line }));
  }
  return comments;
}

export function lineAt(text: string, index: number): number {
  let line = 1;
  for (let i = text.indexOf("\n"); i !== -1 && i < index; i = text.indexOf("\n", i + 1)) line++;
  return line;
}

function blank(text: string, pattern: RegExp): string {
  return text.replace(pattern, (found) => found.replaceAll(/[^\n]/g, " "));
}
