/** Finds regular expressions with super-linear time: one such expression and a long text stop a server. */
import { analyse } from "scslre";
import type { Finding } from "./findings.ts";
import { lineAt, type Source } from "./sources.ts";

/** A known place that is not fixed yet: the file, the expression, and why it may stay. */
export interface Known {
  readonly file: string;
  readonly expression: string;
  readonly reason: string;
}

/** An expression in a source. */
interface Expression {
  readonly source: string;
  readonly flags: string;
  readonly index: number;
}

/** Checks all expressions of the sources. A comment `// linear: reason` on the line or above it says why the text is short. */
export function checkBacktracking(sources: readonly Source[], known: readonly Known[]): Finding[] {
  const left = new Set(known);
  const findings = sources.flatMap(({ path, text }) =>
    expressionsOf(text).flatMap((expression): Finding[] => {
      const problem = problemOf(expression);
      if (problem === undefined || isExplained(text, expression.index)) return [];
      const written = `/${expression.source}/${expression.flags}`;
      const entries = known.filter(({ file, expression: one }) => file === path && one === written);
      for (const entry of entries) left.delete(entry);
      if (entries.length > 0) return [];
      return [{ file: path, line: lineAt(text, expression.index), problem: `${written} ${problem}`, cure }];
    }),
  );
  return [...findings, ...[...left].map(outdated)];
}

const cure =
  "scan the text instead, or bound its length and say so behind the expression: `// linear: at most 64 characters`";

function outdated({ file, expression }: Known): Finding {
  return { file, problem: `${expression} is listed as known and is not found`, cure: "remove it from the list" };
}

function problemOf({ source, flags }: Expression): string | undefined {
  const { reports } = analyse({ source, flags }, { reportTypes: { Move: true, Self: true, Trade: true } });
  if (reports.length === 0) return undefined;
  return reports.some(({ exponential }) => exponential) ? "takes exponential time" : "takes quadratic time";
}

function isExplained(text: string, index: number): boolean {
  const start = text.lastIndexOf("\n", index) + 1;
  const above = text.slice(text.lastIndexOf("\n", start - 2) + 1, start);
  const end = text.indexOf("\n", index);
  const line = text.slice(start, end === -1 ? text.length : end);
  return [above, line].some((one) => /\/\/ linear: \S/.test(one));
}

/** Comments, strings and templates, so that a slash in them is not taken for an expression; then expressions. */
const token =
  /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\[\s\S])*`|\/(?:[^/\\\n[]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[dgimsuvy]*/g;

/** The literals of a source and the strings that are passed to `RegExp`. */
export function expressionsOf(text: string): Expression[] {
  const found: Expression[] = [];
  for (const { 0: written, index } of text.matchAll(token)) {
    const before = text.slice(Math.max(0, index - 24), index);
    if (written.startsWith("`")) {
      for (const part of insertsOf(written)) {
        found.push(...expressionsOf(part.text).map((one) => ({ ...one, index: index + part.at + one.index })));
      }
    }
    if (/^["'`]/.test(written)) {
      if (/\bRegExp\(\s*$/.test(before) && !written.includes("${")) found.push({ ...ofText(written), index });
    } else if (!/^\/[/*]/.test(written) && startsExpression(before)) found.push({ ...ofLiteral(written), index });
  }
  return found.filter(isExpression);
}

/** The code inside of a template. */
function insertsOf(template: string): { readonly text: string; readonly at: number }[] {
  const inserts: { text: string; at: number }[] = [];
  for (let start = template.indexOf("${"); start !== -1; start = template.indexOf("${", start + 2)) {
    let [end, depth] = [start + 2, 1];
    for (; end < template.length && depth > 0; end++) {
      if (template[end] === "{") depth++;
      else if (template[end] === "}") depth--;
    }
    inserts.push({ text: template.slice(start + 2, end), at: start + 2 });
    start = end - 2;
  }
  return inserts;
}

/** A slash after a value divides. */
function startsExpression(before: string): boolean {
  return /(?:^|[=(,:?!&|;{}[\]+\n>]|\breturn|\bcase|\btypeof)\s*$/.test(before);
}

function ofLiteral(written: string): Pick<Expression, "source" | "flags"> {
  const end = written.lastIndexOf("/");
  return { source: written.slice(1, end), flags: written.slice(end + 1) };
}

function ofText(written: string): Pick<Expression, "source" | "flags"> {
  const inner = written.slice(1, -1).replaceAll('"', '\\"');
  try {
    return { source: JSON.parse(`"${inner}"`) as string, flags: "" };
  } catch {
    return { source: "(", flags: "" };
  }
}

function isExpression({ source, flags }: Expression): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}
