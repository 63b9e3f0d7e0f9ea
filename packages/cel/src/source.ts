/** The text of an expression: where things are in it, and how a problem with it is shown. */

import { codePoints } from "./values/text.ts";
import { codePointCount } from "./values/value.ts";

/** A problem with an expression, at a place in its text. */
export interface Issue {
  /** From 1; -1 when the problem has no place. */
  readonly line: number;
  /** From 0, in code points; -1 when the problem has no place. */
  readonly column: number;
  readonly message: string;
}

/** Most issues that one text shows. */
const SHOWN = 100;
const LONGEST_SNIPPET = 16384;

/** The place of a UTF-16 offset as line and column. */
export function locate(source: string, offset: number): { readonly line: number; readonly column: number } {
  if (offset < 0) return { line: -1, column: -1 };
  if (source === "") return { line: 1, column: -1 };
  const before = source.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (const char of before) if (char === "\n") line++;
  return { line, column: codePointCount(before.slice(lineStart)) };
}

/** All issues as one text: position, message, the source line and a caret below the place. */
export function formatIssues(source: string, issues: readonly Issue[]): string {
  const first = issues.slice(0, SHOWN).sort((a, b) => a.line - b.line || a.column - b.column);
  const shown = first.map((issue) => formatIssue(source, issue));
  if (issues.length > SHOWN) shown.push(`${issues.length - SHOWN} more errors were truncated`);
  return shown.join("\n");
}

function formatIssue(source: string, issue: Issue): string {
  const head = `ERROR: <input>:${issue.line}:${issue.column + 1}: ${issue.message}`;
  const line = issue.line < 1 || source === "" ? undefined : source.split("\n")[issue.line - 1];
  if (line === undefined || line.length > LONGEST_SNIPPET) return head;
  const chars = codePoints(line.replaceAll("\t", " "));
  const dots = chars.slice(0, issue.column).map((char) => (isWide(char) ? "\uff0e" : "."));
  const caret = isWide(chars[issue.column] ?? " ") ? "\uff3e" : "^";
  return `${head}\n | ${chars.join("")}\n | ${dots.join("")}${caret}`;
}

function isWide(char: string): boolean {
  return (char.codePointAt(0) ?? 0) > 0x7f;
}
