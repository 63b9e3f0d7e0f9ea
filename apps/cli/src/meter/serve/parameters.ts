/** Query parameters of a request: the flags of the command that does the same. */
import { HttpError } from "./http-error.ts";

/** Parameters by name. */
export class Parameters {
  readonly #values: URLSearchParams;

  /** Refuses parameters that the endpoint does not have. */
  constructor(values: URLSearchParams, known: readonly string[]) {
    const unknown = [...values.keys()].find((name) => !known.includes(name));
    if (unknown !== undefined)
      throw new HttpError(400, `there is no parameter ${JSON.stringify(unknown)}; there are ${known.join(", ")}`);
    this.#values = values;
  }

  /** A parameter that may be given once. */
  text(name: string): string | undefined {
    const [first, second] = this.#values.getAll(name);
    if (second !== undefined) throw new HttpError(400, `the parameter ${name} is given twice`);
    return first;
  }

  /** A parameter that may be repeated, and that may hold several values with commas. */
  list(name: string): string[] {
    return this.#values.getAll(name).flatMap((text) => text.split(",").filter((word) => word !== ""));
  }

  /** A parameter that may be repeated. */
  all(name: string): string[] {
    return this.#values.getAll(name);
  }

  /** A parameter that is one of a few words. */
  choice<T extends string>(name: string, choices: readonly T[], otherwise: T): T {
    const text = this.text(name);
    if (text === undefined) return otherwise;
    const found = choices.find((choice) => choice === text);
    if (found === undefined)
      throw new HttpError(400, `${name} must be ${choices.join(", ")}, not ${JSON.stringify(text)}`);
    return found;
  }

  /** A flag: present, `true`, or `false`. */
  flag(name: string): boolean | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    if (text === "" || text === "true") return true;
    if (text === "false") return false;
    throw new HttpError(400, `${name} must be true or false, not ${JSON.stringify(text)}`);
  }
}
