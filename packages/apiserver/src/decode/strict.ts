/** What a strict reader objects to: unknown and duplicate fields. */

/** At most this many are told, as kube-apiserver does. */
const limit = 100;

/** Collects objections while a body is decoded. */
export class StrictProblems {
  readonly #messages: string[] = [];
  readonly #seen = new Set<string>();

  get messages(): readonly string[] {
    return this.#messages;
  }

  unknownField(path: string): void {
    this.#add(`unknown field "${path}"`);
  }

  duplicateField(path: string): void {
    this.#add(`duplicate field "${path}"`);
  }

  /** A key that occurs twice in YAML; the real server names the line. */
  duplicateKey(line: number, key: string): void {
    this.#add(`yaml: unmarshal errors:\n  line ${line}: key "${key}" already set in map`);
  }

  #add(message: string): void {
    if (this.#messages.length >= limit || this.#seen.has(message)) return;
    this.#seen.add(message);
    this.#messages.push(message);
  }
}

/** A value of a type that the field cannot hold, in the words of Go's JSON decoder. */
export class TypeMismatch extends Error {
  override readonly name = "TypeMismatch";
  readonly code = "TypeMismatch";
}
