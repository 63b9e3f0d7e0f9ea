/** Numbers with their original spelling, which Go's errors about integers quote. */
import { parseWithNumbers } from "@capstan/model";

/** A number that Go cannot read as an integer: a fraction, an exponent, or too many digits. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): number {
    return Number(this.text);
  }

  /** Writes the original text. The type library does not declare `rawJSON` yet. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text);
  }
}

/** Prefix of the strings that stand for such numbers while a document is patched. Kubernetes does not use this character. */
const mark = "\uf8ff number ";

/** Replaces such numbers by strings, so that patches treat them as opaque. */
export function hideLiterals(value: unknown): unknown {
  return replaced(value, (part) => (part instanceof NumberLiteral ? mark + part.text : part));
}

/** Reverses `hideLiterals`. */
export function showLiterals(value: unknown): unknown {
  return replaced(value, (part) =>
    typeof part === "string" && part.startsWith(mark) ? new NumberLiteral(part.slice(mark.length)) : part,
  );
}

/** Reads valid JSON text and keeps such numbers. */
export function parseWithLiterals(text: string): unknown {
  return parseWithNumbers(text, (source) => new NumberLiteral(source));
}

/** Replaces such numbers by plain ones. */
export function withoutLiterals(value: unknown): unknown {
  return replaced(value, (part) => (part instanceof NumberLiteral ? part.value : part));
}

function replaced(value: unknown, replace: (part: unknown) => unknown): unknown {
  const part = replace(value);
  if (typeof part !== "object" || part === null || part instanceof NumberLiteral) return part;
  if (Array.isArray(part)) return part.map((item) => replaced(item, replace));
  return Object.fromEntries(Object.entries(part).map(([key, below]) => [key, replaced(below, replace)]));
}

/** The first number in a text that does not fit into a float, as written. Texts without enough digits are not searched. */
export function firstBeyondFloat(text: string): string | undefined {
  return mayBeBeyond.test(text) ? beyondIn(parseWithLiterals(text)) : undefined;
}

/** Whether a text has enough digits for a number that does not fit into a float. */
const mayBeBeyond: RegExp = /[0-9][eE]\+?[0-9]{3}|[0-9]{300}/;

function beyondIn(value: unknown): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof NumberLiteral) return Number.isFinite(value.value) ? undefined : value.text;
  for (const part of Object.values(value)) {
    const found = beyondIn(part);
    if (found !== undefined) return found;
  }
  return undefined;
}
