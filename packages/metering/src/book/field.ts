/** Reads the fields of a book, and says of each mistake where it is and what was meant. */
import { MeterError } from "../error.ts";
import { type Rational, rational } from "../number/rational.ts";
import { parseFraction } from "../number/decimal.ts";
import { nearest } from "./nearest.ts";

/** A value of the book with its place: `prices[2].per`. */
export class Field {
  readonly value: unknown;
  readonly path: string;
  readonly #lineOf: (path: string) => number | undefined;

  constructor(value: unknown, path: string, lineOf: (path: string) => number | undefined) {
    this.value = value;
    this.path = path;
    this.#lineOf = lineOf;
  }

  /** The error of this field. */
  refuse(problem: string): MeterError {
    const line = this.#lineOf(this.path);
    const place = line === undefined ? "" : `line ${line}: `;
    return new MeterError(
      "BadBook",
      `the book is refused: ${place}${this.path === "" ? "" : `${this.path}: `}${problem}`,
    );
  }

  get isAbsent(): boolean {
    return this.value === undefined || this.value === null;
  }

  /** A member of an object; arrays and texts have none. */
  member(name: string): Field {
    const path = this.path === "" ? name : `${this.path}.${name}`;
    return new Field(this.#object()[name], path, this.#lineOf);
  }

  #object(): { readonly [name: string]: unknown } {
    if (typeof this.value === "object" && this.value !== null && !Array.isArray(this.value))
      return this.value as { readonly [name: string]: unknown };
    throw this.refuse(`must be an object, not ${describe(this.value)}`);
  }

  /** Refuses members that have no meaning. */
  only(known: readonly string[]): this {
    for (const name of Object.keys(this.#object())) {
      if (known.includes(name)) continue;
      const meant = nearest(name, known);
      const cure = meant === undefined ? `known are ${known.join(", ")}` : `did you mean ${meant}?`;
      throw this.member(name).refuse(`unknown field ${JSON.stringify(name)}; ${cure}`);
    }
    return this;
  }

  items(): Field[] {
    if (this.isAbsent) return [];
    if (!Array.isArray(this.value)) throw this.refuse(`must be a list, not ${describe(this.value)}`);
    return this.value.map((item: unknown, at) => new Field(item, `${this.path}[${at}]`, this.#lineOf));
  }

  entries(): [string, Field][] {
    return this.isAbsent ? [] : Object.keys(this.#object()).map((name) => [name, this.member(name)]);
  }

  text(): string {
    if (typeof this.value === "string" && this.value !== "") return this.value;
    throw this.refuse(this.isAbsent ? "is required" : `must be text, not ${describe(this.value)}`);
  }

  optionalText(): string | undefined {
    return this.isAbsent ? undefined : this.text();
  }

  /** A text that may be empty, such as the value of a dimension. */
  anyText(): string {
    if (typeof this.value === "string") return this.value;
    if (typeof this.value === "number" || typeof this.value === "boolean") return String(this.value);
    throw this.refuse(`must be text, not ${describe(this.value)}`);
  }

  flag(absent: boolean): boolean {
    if (this.isAbsent) return absent;
    if (typeof this.value === "boolean") return this.value;
    throw this.refuse(`must be true or false, not ${describe(this.value)}`);
  }

  choice<const T extends string>(choices: readonly T[], absent?: T): T {
    if (this.isAbsent && absent !== undefined) return absent;
    const text = this.text();
    const found = choices.find((choice) => choice === text);
    if (found !== undefined) return found;
    const meant = nearest(text, choices);
    throw this.refuse(
      `cannot be ${JSON.stringify(text)}; ${meant === undefined ? `choose ${choices.join(", ")}` : `did you mean ${meant}?`}`,
    );
  }

  /** A decimal, exactly; numbers of YAML are read by their shortest text. */
  decimal(): Rational {
    const text = typeof this.value === "number" ? String(this.value) : this.text();
    const fraction = parseFraction(text);
    if (fraction === undefined || /[A-Za-df-z]$/.test(text))
      throw this.refuse(`must be a decimal such as "0.25", not ${JSON.stringify(text)}`);
    return rational(fraction.over, fraction.under);
  }

  strings(): { readonly [name: string]: string } {
    return Object.fromEntries(this.entries().map(([name, field]) => [name, field.anyText()]));
  }
}

/** A whole file may be one text. */
const mostShown = 80;

function describe(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value);
  return text.length > mostShown ? `${text.slice(0, mostShown)}...` : text;
}
