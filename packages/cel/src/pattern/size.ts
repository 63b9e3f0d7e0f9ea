/** Estimates the work to compile a regular expression before it is compiled: `(a{1000}){1000}` would need a million instructions. */

/** The maximum number of instructions of a compiled pattern. Go allows more; patterns of real resources stay far below. */
const MOST_INSTRUCTIONS = 10_000;
const INSTRUCTION_WORK = 1000;
/** A class of Unicode such as `\pL` has hundreds of ranges. */
const UNICODE_CLASS_WORK = 50_000;
/** In a case-insensitive pattern, a range beyond ASCII is folded character by character. */
const FOLDED_RANGE_WORK = 1_000_000;
const MOST_WORK = MOST_INSTRUCTIONS * INSTRUCTION_WORK;

const LITERAL = String.raw`\\Q[\s\S]*?(?:\\E|$)`;
const ESCAPE = String.raw`\\(?:x\{[^}]{0,9}\}|[pP]\{[^}]{0,99}\}|[\s\S]|$)`;
const CLASS = String.raw`\[\^?\]?(?:\\[\s\S]|\[:\^?[a-z]{1,9}:\]|[^\]\\])*\]?`;
const REPEAT = String.raw`\{(\d{1,9})(?:,(\d{0,9}))?\}`;
/** Every character belongs to exactly one token, so that reading takes one pass. */
const TOKEN = new RegExp(`(${LITERAL})|${ESCAPE}|${CLASS}|${REPEAT}|[\\s\\S]`, "g");

const FOLDING = /\(\?[a-zA-Z]*i/;
const BEYOND_ASCII = /[^\0-\x7f]|\\[xWDSpP0-7]/;
const RANGES = /-|\\[WDSpP]/g;
const UNICODE_CLASSES = /\\[pP]/g;

/** An upper bound of the work to compile a pattern; undefined if it exceeds the limit. */
export function compileWork(source: string): number | undefined {
  if (source.length > MOST_INSTRUCTIONS) return undefined;
  const folded = FOLDING.test(source) && BEYOND_ASCII.test(source) ? count(source, RANGES) : 0;
  const classes = count(source, UNICODE_CLASSES) * UNICODE_CLASS_WORK + folded * FOLDED_RANGE_WORK;
  const work = expandedSize(source) * INSTRUCTION_WORK + classes;
  return work > MOST_WORK ? undefined : work;
}

function count(source: string, part: RegExp): number {
  return source.match(part)?.length ?? 0;
}

/** A sequence that is being read: its size, and the size of its last part, which a repetition would multiply. */
interface Sequence {
  total: number;
  last: number;
}

/** An upper bound of the number of instructions that a pattern compiles to. */
export function expandedSize(source: string): number {
  let here: Sequence = { total: 3, last: 0 };
  const open: Sequence[] = [];
  for (const [token, literal, least, most] of source.matchAll(TOKEN)) {
    if (token === "(") {
      open.push(here);
      here = { total: 3, last: 0 };
    } else if (token === ")") {
      const group = here.total;
      here = open.pop() ?? { total: 3, last: 0 };
      append(here, group);
    } else if (least !== undefined) {
      const times = Math.max(Number(least), Number(most ?? 0)) + 1;
      grow(here, (here.last + 1) * times - here.last);
    } else if (token === "?" || token === "*" || token === "+") grow(here, 1);
    else append(here, literal?.length ?? (token === "|" ? 2 : 1));
  }
  return open.reduce((size, { total }) => size + total, here.total);
}

function append(sequence: Sequence, size: number): void {
  sequence.total += size;
  sequence.last = size;
}

/** A quantifier makes the last part larger. */
function grow(sequence: Sequence, size: number): void {
  sequence.total += size;
  sequence.last += size;
}
