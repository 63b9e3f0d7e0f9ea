/** Field selectors: `metadata.name=web,spec.nodeName!=`. */
import { ParseError } from "./parse-error.ts";

/** One condition on a selectable field. */
export interface FieldRequirement {
  readonly field: string;
  readonly operator: "=" | "!=";
  readonly value: string;
}

/** A selector: all requirements must hold. */
export type FieldSelector = readonly FieldRequirement[];

/** Parses a selector; throws a {@link ParseError} with the server's message. */
export function parseFieldSelector(text: string): FieldSelector {
  const terms = splitTerms(text).filter((term) => term !== "");
  const requirements = terms.sort().map((term) => parseTerm(term, text));
  // A bare operator requires nothing, and the server drops it.
  return requirements.filter(({ field, value }) => field !== "" || value !== "");
}

/** Splits at commas; a backslash makes the next character part of the term. */
function splitTerms(text: string): string[] {
  const terms: string[] = [];
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === ",") {
      terms.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...terms, text.slice(start)];
}

function parseTerm(term: string, selector: string): FieldRequirement {
  const match = /!=|==|=/.exec(term);
  if (match === null) throw refusal(selector, `invalid selector: '${selector}'; can't understand '${term}'`);
  const value = unescapeValue(term.slice(match.index + match[0].length), selector);
  return { field: term.slice(0, match.index), operator: match[0] === "!=" ? "!=" : "=", value };
}

function unescapeValue(text: string, selector: string): string {
  let value = "";
  for (let i = 0; i < text.length; i++) {
    const char = text.charAt(i);
    if (char === "," || char === "=") {
      throw refusal(selector, `invalid field selector: unescaped character in value: ${char.charCodeAt(0)}`);
    }
    value += char === "\\" ? unescapeNext(text, ++i, selector) : char;
  }
  return value;
}

function unescapeNext(text: string, at: number, selector: string): string {
  const code = text.codePointAt(at);
  const char = code === undefined ? "" : String.fromCodePoint(code);
  if (char === "\\" || char === "," || char === "=") return char;
  throw refusal(selector, `invalid field selector: invalid escape sequence: \\${char}`);
}

function refusal(input: string, message: string): ParseError {
  return new ParseError("InvalidFieldSelector", input, message);
}

/** Whether an object satisfies a selector; a missing field counts as the empty string. */
export function matchesFields(selector: FieldSelector, valueOf: (field: string) => string | undefined): boolean {
  for (const { field, operator, value } of selector) {
    if (((valueOf(field) ?? "") === value) !== (operator === "=")) return false;
  }
  return true;
}

/** The value that a selector requires of one field, if it requires one. */
export function exactFieldValue(selector: FieldSelector, field: string): string | undefined {
  return selector.find((requirement) => requirement.field === field && requirement.operator === "=")?.value;
}

/** The selector as a query parameter carries it. */
export function formatFieldSelector(selector: FieldSelector): string {
  return selector
    .map(({ field, operator, value }) => `${field}${operator}${value.replace(/[\\,=]/g, (char) => `\\${char}`)}`)
    .join(",");
}
