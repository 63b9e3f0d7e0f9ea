/** Errors of strict decoding: unknown and duplicate fields. */
import { quote, type FieldError } from "@capstan/model";
import type { JsonValue } from "../builtin/draft.ts";

/** The maximum number of reported errors, as in kube-apiserver. */
const limit = 100;

/** Collects errors while a body is decoded. */
export class StrictProblems {
  readonly #messages: string[] = [];
  readonly #seen = new Set<string>();
  readonly #paths = new Map<string, string>();
  readonly #yaml: string[] = [];

  get messages(): readonly string[] {
    return this.#messages;
  }

  /** Sorts the errors by the position of their fields in the document. */
  orderBy(document: JsonValue): void {
    if (this.#messages.length < 2) return;
    const positions = new Map<string, number>();
    collectPaths(document, "", positions);
    const positionOf = (message: string): number => positions.get(this.#paths.get(message) ?? "") ?? 0;
    this.#messages.sort((a, b) => positionOf(a) - positionOf(b));
  }

  /** Sorts the errors alphabetically, as Go's converter does. */
  sortByWords(): void {
    this.#messages.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  }

  /** An unknown field of an object that was checked against a schema or converted. */
  unknownField(path: string): void {
    this.#add(`unknown field "${path}"`, path);
  }

  /** An unknown field of a decoded body: Go's decoder quotes it. */
  unknownInBody(path: string): void {
    // Duplicates inside an unknown field are not reported, because it is not decoded.
    this.#dropDuplicates(path);
    this.#add(`unknown field ${quote(path)}`, path);
  }

  duplicateField(path: string): void {
    this.#add(`duplicate field ${quote(path)}`, path);
  }

  /** A duplicate YAML key, in Go's syntax and with its line. */
  duplicateKey(line: number, key: string): void {
    const message = `line ${line}: key ${key} already set in map`;
    this.#yaml.push(message);
    this.#add(message);
  }

  /** The errors of a rejected request: those of the YAML text are joined into one. */
  get refusals(): readonly string[] {
    if (this.#yaml.length === 0) return this.#messages;
    const yaml = `yaml: unmarshal errors:\n${this.#yaml.map((line) => `  ${line}`).join("\n")}`;
    const inYaml = new Set(this.#yaml);
    return [yaml, ...this.#messages.filter((message) => !inYaml.has(message))];
  }

  /** An error with its own message. */
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

/** The actual and the expected type. */
export interface Mismatch {
  /** The JSON type of the value. */
  readonly found: string;
  /** The Go name of the expected type. */
  readonly wanted: string;
  /** The scalar type behind that name, if it is one. */
  readonly scalar?: string | undefined;
  /** Whether the value is a number that is not an integer. */
  readonly isFraction?: boolean;
}

/** A value of the wrong type, with the message of Go's JSON decoder. */
export class TypeMismatchError extends Error {
  override readonly name = "TypeMismatchError";
  readonly code = "TypeMismatch";
  readonly #mismatch: Mismatch | { readonly conversion: string } | undefined;

  constructor(message: string, mismatch?: Mismatch | { readonly conversion: string }) {
    super(message);
    this.#mismatch = mismatch;
  }

  /** The same error with the message of the converter for strategic patches. */
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

/** A wrong type with a field error, which validation could report as well. */
export class FieldMismatch extends TypeMismatchError {
  readonly error: FieldError;

  constructor(message: string, error: FieldError) {
    super(message);
    this.error = error;
  }
}

/** The converter converts between numbers and strings only; for other types its message is `unrecognized type`. */
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
