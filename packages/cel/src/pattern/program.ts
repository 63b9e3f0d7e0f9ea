/** Compiles RE2 patterns to programs that the matchers of this folder run and count. */

import { RE2JS } from "re2js";
import { spend } from "../work.ts";
import { compileWork } from "./size.ts";

/** The error of an invalid pattern. */
export class PatternError extends Error {
  override readonly name = "PatternError";
}

/** The operations of a program, as re2js numbers them. */
export const OP = { alt: 1, altMatch: 2, capture: 3, emptyWidth: 4, fail: 5, match: 6, nop: 7 } as const;

/** What an empty-width instruction demands of the place between two characters. */
export const PLACE = { beginLine: 1, endLine: 2, beginText: 4, endText: 8, boundary: 16, noBoundary: 32 } as const;

/** One instruction; operations above `nop` read a character. */
export interface Instruction {
  readonly op: number;
  readonly out: number;
  readonly arg: number;
  matchRune(rune: number): boolean;
}

/** A compiled pattern. */
export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** A match can begin only where the text begins. */
  readonly anchored: boolean;
}

/** The work to follow one instruction, and to take one character. */
export const INSTRUCTION_WORK = 6;
export const CHARACTER_WORK = 2;

/** The end of the text in place of a character. */
export const END = -1;

/** Compiles a pattern; the work depends on what the pattern expands to. */
export function compileProgram(source: string): Program {
  const work = compileWork(source);
  if (work === undefined) throw new PatternError("error parsing regexp: expression too large");
  spend(work);
  try {
    // re2js does not type the parts of a program; its version is pinned and pattern.test.ts compares the two engines.
    const { prog, cond } = RE2JS.compile(source).re2() as {
      readonly prog: { readonly inst: readonly Instruction[]; readonly start: number };
      readonly cond: number;
    };
    return { instructions: prog.inst, start: prog.start, anchored: (cond & PLACE.beginText) !== 0 };
  } catch (error) {
    throw new PatternError(error instanceof Error ? error.message : String(error));
  }
}

const KIND = { begin: 0, newline: 1, word: 2, other: 3 } as const;
export type Kind = (typeof KIND)[keyof typeof KIND];
export const BEGIN: Kind = KIND.begin;

/** What the next place has to know of the character before it. */
export function kindOf(rune: number): Kind {
  if (rune === 10) return KIND.newline;
  return isWord(rune) ? KIND.word : KIND.other;
}

function isWord(rune: number): boolean {
  return (rune >= 48 && rune <= 57) || (rune >= 65 && rune <= 90) || rune === 95 || (rune >= 97 && rune <= 122);
}

/** What holds at the place between a character of a kind and the next one. */
export function placeFlags(before: Kind, next: number): number {
  let flags = (before === KIND.word) === (next !== END && isWord(next)) ? PLACE.noBoundary : PLACE.boundary;
  if (before === KIND.begin) flags |= PLACE.beginText | PLACE.beginLine;
  if (before === KIND.newline) flags |= PLACE.beginLine;
  if (next === END) flags |= PLACE.endText | PLACE.endLine;
  if (next === 10) flags |= PLACE.endLine;
  return flags;
}
