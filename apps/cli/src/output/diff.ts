/** Formats a change to a file as a unified diff. */
import { type Change, diffLines, type FileChange, toLines } from "@capstan/scaffold";
import type { Style } from "./style.ts";

const CONTEXT = 3;

/** The diff of one change against the current text. */
export function formatDiff(change: FileChange, text: string, style: Style): string {
  if (change.action === "leave") return style.dim(`# ${change.path} stays as it is: ${change.why}\n`);
  const next = change.action === "delete" ? "" : change.text;
  const from = text === "" ? [] : toLines(text);
  const to = next === "" ? [] : toLines(next);
  const head = `--- ${text === "" ? "/dev/null" : `a/${change.path}`}\n+++ ${change.action === "delete" ? "/dev/null" : `b/${change.path}`}\n`;
  const hunks = groups(diffLines(from, to)).map((group) => formatHunk(group, { from, to }, style));
  return style.bold(head) + hunks.join("");
}

/** Groups changes with overlapping contexts. */
function groups(changes: readonly Change[]): Change[][] {
  const found: Change[][] = [];
  for (const change of changes) {
    const last = found.at(-1)?.at(-1);
    if (last !== undefined && change.fromStart - last.fromEnd <= 2 * CONTEXT) found.at(-1)?.push(change);
    else found.push([change]);
  }
  return found;
}

function formatHunk(
  group: readonly Change[],
  { from, to }: { from: string[]; to: string[] },
  { red, green, cyan }: Style,
): string {
  const [first] = group;
  const last = group.at(-1);
  if (first === undefined || last === undefined) return "";
  const start = Math.max(0, first.fromStart - CONTEXT);
  const end = Math.min(from.length, last.fromEnd + CONTEXT);
  const toStart = first.toStart - (first.fromStart - start);
  const toEnd = last.toEnd + (end - last.fromEnd);
  let body = "";
  let at = start;
  for (const change of group) {
    body += lines(" ", from.slice(at, change.fromStart));
    body += red(lines("-", from.slice(change.fromStart, change.fromEnd)));
    body += green(lines("+", to.slice(change.toStart, change.toEnd)));
    at = change.fromEnd;
  }
  body += lines(" ", from.slice(at, end));
  return `${cyan(`@@ -${range(start, end)} +${range(toStart, toEnd)} @@`)}\n${body}`;
}

function lines(mark: string, texts: readonly string[]): string {
  return texts
    .map((text) => `${mark}${text.endsWith("\n") ? text : `${text}\n\\ No newline at end of file\n`}`)
    .join("");
}

function range(start: number, end: number): string {
  return `${end > start ? start + 1 : start},${end - start}`;
}
