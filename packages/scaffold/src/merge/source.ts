/** Three-way merge of a source by its tokens: what a formatter changed (line breaks, quotes, semicolons, last commas) is no change. */
import { type Token, tokensOf } from "../rename/tokens.ts";
import { type Change, diffLines } from "./lines.ts";
import type { Additions, Versions } from "./merge.ts";

/** A token that counts: its key is the same in every format, and its end includes the semicolons behind it. */
interface Part {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** The merged source, or undefined where both sides changed the same tokens. */
export function mergeSource({ base, mine, theirs }: Versions, additions: Additions = "mark"): string | undefined {
  const [was, own, wanted] = [partsOf(base), partsOf(mine), partsOf(theirs)];
  const ownChanges = diffLines(keysOf(was), keysOf(own));
  let text = mine;
  // From the end, so that earlier positions stay valid.
  for (const change of diffLines(keysOf(was), keysOf(wanted)).toReversed()) {
    if (ownChanges.some((one) => collides(one, change, additions))) return undefined;
    const [from, to] = [placeIn(ownChanges, change.fromStart), placeIn(ownChanges, change.fromEnd)];
    const start = own[from - 1]?.end ?? 0;
    const end = to > from ? (own[to - 1]?.end ?? start) : start;
    if (holdsComment(mine.slice(start, end), own.slice(from, to), start)) return undefined;
    const onOneLine = !mine.slice(end, own[to]?.start).includes("\n");
    text = replaced(text, {
      start,
      end,
      by: addition(theirs, wanted.slice(change.toStart, change.toEnd), { wanted, at: change.toStart, onOneLine }),
    });
  }
  return text;
}

function partsOf(source: string): readonly Part[] {
  const tokens = tokensOf(source);
  return tokens.flatMap((token, at) => {
    if (token.text === ";" || (token.text === "," && isClosing(tokens[at + 1]))) return [];
    let end = token.end;
    for (let next = at + 1; tokens[next]?.text === ";"; next++) end = tokens[next]?.end ?? end;
    return [{ key: keyOf(token), start: token.start, end }];
  });
}

function isClosing(token: Token | undefined): boolean {
  return token !== undefined && [")", "]", "}"].includes(token.text);
}

function keyOf({ sort, text }: Token): string {
  return sort === "string" ? `"${text.slice(1, -1).replaceAll(/\\(['"])/g, "$1")}` : text;
}

function keysOf(parts: readonly Part[]): readonly string[] {
  return parts.map(({ key }) => key);
}

/** Whether a change of the user's and one of the templates are in the same place. Two additions there can both stay. */
function collides(own: Change, theirs: Change, additions: Additions): boolean {
  const isAddition = ({ fromStart, fromEnd }: Change): boolean => fromStart === fromEnd;
  if (isAddition(own) && isAddition(theirs)) return own.fromStart === theirs.fromStart && additions === "mark";
  return own.fromStart < theirs.fromEnd && theirs.fromStart < own.fromEnd;
}

/** The index in the user's tokens of an index in the base; additions of the user's there come first. */
function placeIn(changes: readonly Change[], index: number): number {
  return changes
    .filter(({ fromEnd }) => fromEnd <= index)
    .reduce((at, { fromStart, fromEnd, toStart, toEnd }) => at + toEnd - toStart - (fromEnd - fromStart), index);
}

/** Whether a stretch that goes has more than its tokens: a comment in it could be the user's. */
function holdsComment(stretch: string, parts: readonly Part[], offset: number): boolean {
  let rest = "";
  let at = 0;
  for (const { start, end } of parts) {
    rest += stretch.slice(at, start - offset);
    at = end - offset;
  }
  return /[^\s,;]/.test(rest);
}

interface Surroundings {
  readonly wanted: readonly Part[];
  readonly at: number;
  /** The source that gets the addition has no line break there. */
  readonly onOneLine: boolean;
}

/** The text of added tokens with what separates them, on one line where the surrounding source is. */
function addition(theirs: string, parts: readonly Part[], { wanted, at, onOneLine }: Surroundings): string {
  const first = wanted[at - 1]?.end ?? 0;
  let from = first;
  let text = "";
  for (const { start, end } of parts) {
    const gap = theirs.slice(from, start);
    text += (onOneLine && gap.trim() === "" && gap.includes("\n") ? " " : gap) + theirs.slice(start, end);
    from = end;
  }
  return text;
}

/** Replaces a stretch; a last comma that is left behind an opening bracket goes, too. */
function replaced(text: string, { start, end, by }: { start: number; end: number; by: string }): string {
  const [before, after] = [text.slice(0, start) + by, text.slice(end)];
  return before + (/[([{]\s*$/.test(before) ? after.replace(/^\s*,/, "") : after);
}
