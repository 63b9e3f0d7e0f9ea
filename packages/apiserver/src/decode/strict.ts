/** What a strict reader objects to: unknown and duplicate fields. */
import { quote, type FieldError } from "@capstan/model";
import type { JsonValue } from "../builtin/draft.ts";

/** At most this many are told, as kube-apiserver does. */
const limit = 100;

/** Collects objections while a body is decoded. */
export class StrictProblems {
  readonly #messages: string[] = [];
  readonly #seen = new Set<string>();
  readonly #paths = new Map<string, string>();
  readonly #yaml: string[] = [];

  get messages(): readonly string[] {
    return this.#messages;
  }

  /** Puts the objections into the order in which the fields stand in the document. */
  orderBy(document: JsonValue): void {
    if (this.#messages.length < 2) return;
    const positions = new Map<string, number>();
    collectPaths(document, "", positions);
    const positionOf = (message: string): number => positions.get(this.#paths.get(message) ?? "") ?? 0;
    this.#messages.sort((a, b) => positionOf(a) - positionOf(b));
  }

  /** Puts the objections into the order of their words, as whoever converts values does. */
  sortByWords(): void {
    this.#messages.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  /** A field of an object whose fields are looked for in a schema, or that was converted. */
  unknownField(path: string): void {
    this.#add(`unknown field "${path}"`, path);
  }

  /** A field of a body as it was read: Go's decoder quotes it. */
  unknownInBody(path: string): void {
    // What is not read at all cannot be there twice, nor can what is inside.
    this.#dropDuplicates(path);
    this.#add(`unknown field ${quote(path)}`, path);
  }

  duplicateField(path: string): void {
    this.#add(`duplicate field ${quote(path)}`, path);
  }

  /** A key that occurs twice in YAML, in Go's syntax; the real server names the line. */
  duplicateKey(line: number, key: string): void {
    const message = `line ${line}: key ${key} already set in map`;
    this.#yaml.push(message);
    this.#add(message);
  }

  /** All objections at once, as a refusal has them: those to the YAML text are one. */
  get refusals(): readonly string[] {
    if (this.#yaml.length === 0) return this.#messages;
    const yaml = `yaml: unmarshal errors:\n${this.#yaml.map((line) => `  ${line}`).join("\n")}`;
    const inYaml = new Set(this.#yaml);
    return [yaml, ...this.#messages.filter((message) => !inYaml.has(message))];
  }

  /** An objection in words of its own. */
  message(text: string): void {
    this.#add(text);
  }

  #dropDuplicates(unknown: string): void {
    for (const [message, path] of this.#paths) {
      const isInside = path === unknown || path.startsWith(`${unknown}.`) || path.startsWith(`${unknown}[`);
      if (!isInside || !message.startsWith("duplicate field ")) continue;
      this.#messages.splice(this.#messages.indexOf(message), 1);
      this.#paths.delete(message);
    }
  }

  #add(message: string, path = ""): void {
    if (this.#messages.length >= limit || this.#seen.has(message)) return;
    this.#seen.add(message);
    this.#messages.push(message);
    this.#paths.set(message, path);
  }
}

function collectPaths(value: JsonValue, path: string, positions: Map<string, number>): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    const below = Array.isArray(value) ? `${path}[${key}]` : path === "" ? key : `${path}.${key}`;
    positions.set(below, positions.size);
    collectPaths(part ?? null, below, positions);
  }
}

/** What was found and what it should have become. */
export interface Mismatch {
  /** JSON's name of what was there. */
  readonly found: string;
  /** Go's name of what it should be. */
  readonly wanted: string;
  /** The kind of scalar behind that name, where it is one. */
  readonly scalar?: string | undefined;
  /** Whether a number was there that is none of Go's integers. */
  readonly isFraction?: boolean;
}

/** A value of a type that the field cannot hold, in the words of Go's JSON decoder. */
export class TypeMismatchError extends Error {
  override readonly name = "TypeMismatchError";
  readonly code = "TypeMismatch";
  readonly #mismatch: Mismatch | { readonly conversion: string } | undefined;

  constructor(message: string, mismatch?: Mismatch | { readonly conversion: string }) {
    super(message);
    this.#mismatch = mismatch;
  }

  /** The same in the words of the converter that strategic patches go through. */
  asConversion(): string {
    if (this.#mismatch === undefined) return this.message;
    if ("conversion" in this.#mismatch) return this.#mismatch.conversion;
    const { found, wanted, scalar } = this.#mismatch;
    if (scalar !== undefined && scalar !== "bytes") return unconvertible(this.#mismatch, scalar);
    const kind = this.#mismatch.isFraction === true ? "float64" : (goKinds[found] ?? found);
    if (wanted.startsWith("map[")) return `cannot restore map from ${kind}`;
    if (wanted.startsWith("[]")) return `cannot restore slice from ${kind}`;
    if (/\.[A-Z]/.test(wanted)) return `cannot restore struct from: ${kind}`;
    return `cannot convert ${goTypes[found] ?? found} to ${wanted}`;
  }
}

/** What is wrong with one field, of which the rest of the server could tell as well. */
export class FieldMismatch extends TypeMismatchError {
  readonly error: FieldError;

  constructor(message: string, error: FieldError) {
    super(message);
    this.error = error;
  }
}

/** Go can turn numbers into texts and cut them off, but not in JSON; for all else it does not even have an idea how. */
function unconvertible({ found, wanted, isFraction = false }: Mismatch, scalar: string): string {
  const isConvertible = found === "number" && scalar !== "bool" && isFraction !== (scalar === "string");
  if (!isConvertible) return `unrecognized type: ${scalar}`;
  return `cannot convert ${isFraction ? "float64" : "int64"} to ${wanted}`;
}

const goKinds: Readonly<Record<string, string>> = { number: "int64", array: "slice", object: "map" };
const goTypes: Readonly<Record<string, string>> = {
  number: "int64",
  array: "[]interface {}",
  object: "map[string]interface {}",
};
