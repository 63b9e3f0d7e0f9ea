/** Three-way merge: what the templates changed goes into what the user made of a file. No line of the user's is ever lost. */
import { endedLike } from "./line-ends.ts";
import { type Change, diffLines, toLines } from "./lines.ts";

/** The three texts. */
export interface Versions {
  /** As the templates wrote it. */
  readonly base: string;
  /** As it is now. */
  readonly mine: string;
  /** As the templates would write it now. */
  readonly theirs: string;
}

/** What to do where both added lines in the same place: mark the place, or keep mine and then theirs. */
export type Additions = "mark" | "keep-both";

/** A merged text. */
export interface Merged {
  readonly text: string;
  /** How many places are marked as conflicts. */
  readonly conflicts: number;
}

/** Merges, with ordinary conflict markers where both sides changed the same lines. Lines end as they do in mine. */
export function merge({ base, mine, theirs }: Versions, additions: Additions = "mark"): Merged {
  const like = (text: string): string => endedLike(mine, text);
  const lines = { base: toLines(like(base)), mine: toLines(mine), theirs: toLines(like(theirs)) };
  let conflicts = 0;
  let text = "";
  for (const region of regions(lines)) {
    const part = resolve(region, additions);
    if (part === undefined) conflicts++;
    text += part?.join("") ?? marked(region).map(like).join("");
  }
  return { text, conflicts };
}

interface Region {
  readonly base: readonly string[];
  readonly mine: readonly string[];
  readonly theirs: readonly string[];
}

/** The lines that a region becomes, or undefined where it is a conflict. */
function resolve({ base, mine, theirs }: Region, additions: Additions): readonly string[] | undefined {
  if (isSame(mine, theirs) || isSame(base, theirs)) return mine;
  if (isSame(base, mine)) return theirs;
  const bothAdded = base.length === 0;
  return additions === "keep-both" && bothAdded ? [...ended(mine), ...theirs] : undefined;
}

function marked({ mine, theirs }: Region): readonly string[] {
  return ["<<<<<<< yours\n", ...ended(mine), "=======\n", ...ended(theirs), ">>>>>>> capstan\n"];
}

/** Lines of which the last ends with a line break. */
function ended(lines: readonly string[]): readonly string[] {
  const last = lines.at(-1);
  return last === undefined || last === "" || last.endsWith("\n") ? lines : [...lines.slice(0, -1), `${last}\n`];
}

interface Hunk {
  readonly start: number;
  readonly end: number;
}

/** Cuts the three texts into regions that are the same in all, or that one or both sides changed. */
function regions({ base, mine, theirs }: { base: string[]; mine: string[]; theirs: string[] }): Region[] {
  const changes = { mine: diffLines(base, mine), theirs: diffLines(base, theirs) };
  const found: Region[] = [];
  let at = 0;
  for (const { start, end } of hunks([...changes.mine, ...changes.theirs])) {
    if (start > at) found.push(same(base.slice(at, start)));
    found.push({
      base: base.slice(start, end),
      mine: mine.slice(...mapped(changes.mine, { start, end })),
      theirs: theirs.slice(...mapped(changes.theirs, { start, end })),
    });
    at = end;
  }
  if (at < base.length) found.push(same(base.slice(at)));
  return found;
}

function same(lines: readonly string[]): Region {
  return { base: lines, mine: lines, theirs: lines };
}

/** Runs of base lines that are touched; runs that overlap or touch become one, so that neighbours are not torn apart. */
function hunks(changes: readonly Change[]): Hunk[] {
  const sorted = changes
    .map(({ fromStart, fromEnd }) => ({ start: fromStart, end: fromEnd }))
    .sort((a, b) => a.start - b.start || a.end - b.end);
  const joined: { start: number; end: number }[] = [];
  for (const { start, end } of sorted) {
    const last = joined.at(-1);
    if (last !== undefined && overlaps(last, { start, end })) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return joined;
}

/** Changes in the same place; an addition at the edge of a change belongs to it only if both start there. */
function overlaps(a: Hunk, b: Hunk): boolean {
  return b.start < a.end || (b.start === a.start && b.end >= a.start);
}

/** Where a run of base lines is in one side. */
function mapped(changes: readonly Change[], { start, end }: Hunk): [number, number] {
  let shift = 0;
  let from: number | undefined;
  let to: number | undefined;
  for (const { fromStart, fromEnd, toStart, toEnd } of changes) {
    if (fromEnd < start || (fromEnd === start && fromStart < start)) shift = toEnd - fromEnd;
    else if (fromStart < end || (fromStart === end && start === end)) {
      from ??= start - fromStart + toStart;
      to = toEnd + (end - fromEnd);
    }
  }
  return [from ?? start + shift, to ?? end + shift];
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((line, at) => line === b[at]);
}
