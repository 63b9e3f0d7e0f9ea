/** Numbers as they stand in a text, where their spelling matters: Go's integers are refused in the words that were used for them. */
import { parseWithNumbers } from "@capstan/model";

/** A number that an integer of Go cannot be read from: a fraction, an exponent, or too many digits. */
export class NumberLiteral {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  get value(): number {
    return Number(this.text);
  }

  /** It is written as it was read; the type library does not know the function yet. */
  toJSON(): unknown {
    return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(this.text);
  }
}

/** Begins the texts that stand for such numbers while a document is patched; no text of Kubernetes holds this character. */
const mark = "\uf8ff number ";

/** The value with texts instead of such numbers: patches must not look into them. */
export function hideLiterals(value: unknown): unknown {
  return replaced(value, (part) => (part instanceof NumberLiteral ? mark + part.text : part));
}

/** The value with its hidden numbers. */
export function showLiterals(value: unknown): unknown {
  return replaced(value, (part) =>
    typeof part === "string" && part.startsWith(mark) ? new NumberLiteral(part.slice(mark.length)) : part,
  );
}

/** Reads sound JSON text and keeps such numbers. */
export function parseWithLiterals(text: string): unknown {
  return parseWithNumbers(text, (source) => new NumberLiteral(source));
}

/** The value with plain numbers. */
export function withoutLiterals(value: unknown): unknown {
  return replaced(value, (part) => (part instanceof NumberLiteral ? part.value : part));
}

function replaced(value: unknown, replace: (part: unknown) => unknown): unknown {
  const part = replace(value);
  if (typeof part !== "object" || part === null || part instanceof NumberLiteral) return part;
  if (Array.isArray(part)) return part.map((item) => replaced(item, replace));
  return Object.fromEntries(Object.entries(part).map(([key, below]) => [key, replaced(below, replace)]));
}

/** The first number of a text that no float can hold, as it is written there; texts without so many digits are not searched. */
export function firstBeyondFloat(text: string): string | undefined {
  return mayBeBeyond.test(text) ? beyondIn(parseWithLiterals(text)) : undefined;
}

/** Whether a text has as many digits as a number needs that no float can hold. */
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
