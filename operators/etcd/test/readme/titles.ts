/** The titles of the tests that a file declares, as they are written: templates with their placeholders. */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const TITLE = /\b(?:test|describe)\(\s*(?<mark>["'`])(?<title>(?:\\.|(?!\k<mark>)[^\\])*)\k<mark>/gsu;
/** A test whose title comes from a story in another file. */
const BORROWED = /\btest\(title\b/u;
const IMPORT = /from "(?<path>\.[^"]+)"/gu;
const STORY_TITLE = /\btitle: (?<mark>["'`])(?<title>(?:\\.|(?!\k<mark>)[^\\])*)\k<mark>/gsu;

export async function titlesIn(file: string): Promise<readonly string[]> {
  const text = await readFile(file, "utf8");
  const own = found(text, TITLE, "title");
  if (!BORROWED.test(text)) return own;
  const stories = found(text, IMPORT, "path").map((path) => readFile(join(dirname(file), path), "utf8"));
  return [...own, ...(await Promise.all(stories)).flatMap((story) => found(story, STORY_TITLE, "title"))];
}

function found(text: string, pattern: RegExp, group: string): readonly string[] {
  return [...text.matchAll(pattern)].map(({ groups }) => groups?.[group] ?? "");
}
