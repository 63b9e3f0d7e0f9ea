/** Ranges of versions, as dependencies and catalogs state them: read as the library of the operator framework reads them. */
import { quote } from "@capstan/model";
import { compareVersions, readVersion, type Version } from "./semver.ts";

/** Whether versions are in a range such as `>=1.0.0 <2.0.0 || 3.x`. */
export type Range = (version: Version) => boolean;

/** A range, or the message of an invalid one. */
export type ReadRange = { readonly range: Range } | { readonly problem: string };

/** Parses a range; undefined if it is invalid. */
export function parseRange(text: string): Range | undefined {
  const read = readRange(text);
  return "range" in read ? read.range : undefined;
}

/** Parses a range, or says what is wrong with it. */
export function readRange(text: string): ReadRange {
  const words = wordsOf(text);
  if (words[0] === "||") return { problem: "First element in range is '||'" };
  if (words.length === 0 || words.at(-1) === "||") return { problem: "Last element in range is '||'" };
  const alternatives: Range[][] = [[]];
  for (const word of words) {
    if (word === "||") {
      alternatives.push([]);
      continue;
    }
    for (const plain of expanded(word)) {
      const read = readComparison(plain);
      if ("problem" in read) return read;
      alternatives.at(-1)?.push(read.range);
    }
  }
  return { range: (version) => alternatives.some((all) => all.length > 0 && all.every((holds) => holds(version))) };
}

/**
 * The words between spaces. A space after a comparison sign does not end a word. A single character is no word: the original drops it, so
 * `1.0.0 - 2.0.0` is read as `1.0.0 2.0.0`.
 */
function wordsOf(text: string): string[] {
  const words: string[] = [];
  let start = 0;
  let last = "";
  for (let at = 0; at <= text.length; at++) {
    const char = text.charAt(at);
    if (char === "" || (char === " " && !/[><=]/.test(last))) {
      if (at - start > 1) words.push(text.slice(start, at).replaceAll(" ", ""));
      start = at + 1;
    } else if (char !== " ") last = char;
  }
  return words;
}

const operators: { readonly [operator: string]: (order: number) => boolean } = {
  "": (order) => order === 0,
  "=": (order) => order === 0,
  "==": (order) => order === 0,
  ">": (order) => order > 0,
  ">=": (order) => order >= 0,
  "<": (order) => order < 0,
  "<=": (order) => order <= 0,
  "!": (order) => order !== 0,
  "!=": (order) => order !== 0,
};

function readComparison(word: string): ReadRange {
  const digit = word.search(/[0-9]/);
  if (digit === -1) return { problem: `Could not get version from string: ${quote(word)}` };
  const [sign, rest] = [word.slice(0, digit), word.slice(digit)];
  const holds = operators[sign];
  const failed = (why: string): ReadRange => ({ problem: `Could not parse Range ${quote(word)}: ${why}` });
  if (holds === undefined) return failed(`Could not parse comparator ${quote(sign)} in ${quote(word)}`);
  const reading = readVersion(rest);
  if ("problem" in reading)
    return failed(`Could not parse version ${quote(rest)} in ${quote(word)}: ${reading.problem}`);
  return { range: (version) => holds(compareVersions(version, reading.version)) };
}

/**
 * A word without wildcards: `1.x` is `>=1.0.0` and `<2.0.0`. Three oddities are those of the original: `1.x.x` ends at 1.1.0, `!=1.x` holds for no
 * version, and a version with an x elsewhere is invalid.
 */
function expanded(word: string): string[] {
  const digit = word.search(/[0-9]/);
  if (!word.includes("x") || digit === -1) return [word];
  const [sign, rest] = [word.slice(0, digit), word.slice(digit)];
  const [low, high] = boundsOf(rest);
  switch (sign) {
    case ">":
      return [`>=${high}`];
    case ">=":
    case "<":
      return [sign + low];
    case "<=":
      return [`<${high}`];
    case "":
    case "=":
    case "==":
      return [`>=${low}`, `<${high}`];
    case "!":
    case "!=":
      return [`<${low}`, `>=${high}`];
    default:
      return [low];
  }
}

/** The first version of a wildcard, and the first one above it: empty if the wildcard is not at the end. */
function boundsOf(text: string): readonly [low: string, high: string] {
  const parts = text.split(".");
  const flat = text.replace(".x.x", ".x").replace(".x", ".0");
  const low = flat.split(".").length === 2 ? `${flat}.0` : flat;
  const raised = parts.length - 2;
  if (parts.at(-1) !== "x" || raised < 0 || raised > 1) return [low, ""];
  const high = low.split(".").map((part, at) => (at === raised ? increment(part) : part));
  return [low, high.includes(undefined) ? "" : high.join(".")];
}

function increment(part: string): string | undefined {
  return /^[0-9]+$/.test(part) ? String(BigInt(part) + 1n) : undefined;
}
