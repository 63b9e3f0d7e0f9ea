/** Keeps comments and test titles in plain English: a budget for pronouns that make people of things, and a length for titles. */
import type { Finding } from "./findings.ts";
import { roomOf } from "./layers.ts";
import { commentsOf, lineAt, type Source } from "./sources.ts";

/** Pronouns for people. In comments about software they nearly always stand for a thing that has a name. */
const pronoun = /\b(?:who|whom|whose|whoever|whomever|nobody|somebody|everybody|anybody)\b/gi;

/** Pronouns per 1,000 words of comments that a package may have; a few are about people, such as users. */
export const pronounBudget = 2;

/** The longest title of a test, in characters. */
export const longestTitle = 80;

/** Compares each package's comments with the budget, and each title with the longest allowed. */
export function checkProse(sources: readonly Source[]): Finding[] {
  return [...checkPronouns(sources), ...checkTitles(sources)];
}

interface Tally {
  words: number;
  found: { readonly file: string; readonly line: number }[];
}

function checkPronouns(sources: readonly Source[]): Finding[] {
  const tallies = new Map<string, Tally>();
  for (const source of sources) count(source, tallies);
  return [...tallies].flatMap(([room, { words, found }]) => {
    const rate = (1000 * found.length) / words;
    // A single pronoun in a small package is within the budget.
    if (found.length <= 1 || rate <= pronounBudget) return [];
    const problem = `${found.length} pronouns for people in ${words} words of comments (${rate.toFixed(1)} per 1,000, at most ${pronounBudget})`;
    const places = found.slice(0, 5).map(({ file, line }) => `${file}:${line}`);
    return [{ file: room, problem, cure: `name the thing (docs/glossary.md), for example at ${places.join(", ")}` }];
  });
}

function count(source: Source, tallies: Map<string, Tally>): void {
  const room = roomOf(source.path);
  const tally = tallies.get(room) ?? { words: 0, found: [] };
  tallies.set(room, tally);
  for (const { line, text } of commentsOf(source.text)) {
    tally.words += text.match(/[A-Za-z']+/g)?.length ?? 0;
    for (const _ of text.matchAll(pronoun)) tally.found.push({ file: source.path, line });
  }
}

const title = /\b(?:test|it|describe|suite)(?:\.\w+)?\(\s*(["`])((?:[^"`\\]|\\.)*)\1/g;

function checkTitles(sources: readonly Source[]): Finding[] {
  return sources
    .filter(({ path }) => path.endsWith(".test.ts"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(title)]
        .filter(([, , words = ""]) => words.length > longestTitle)
        .map(({ index, 2: words = "" }) => ({
          file: path,
          line: lineAt(text, index),
          problem: `a test title of ${words.length} characters`,
          cure: `name subject and behaviour in at most ${longestTitle}`,
        })),
    );
}
