/** Refuses to write values that JSON does not have: NaN would be sent as null, which often means "use the default". */
import { RuntimeError } from "../errors.ts";
import { fieldPath } from "../cache/field-path.ts";

/** Deeper than this, a value contains itself; `JSON.stringify` reports that. */
const DEEPEST = 100;

/** Throws if a value, or a part of it, cannot be represented in JSON. `what` names the object that it belongs to. */
export function mustBeJson(value: unknown, what: () => string): void {
  const odd = oddIn(value);
  if (odd === undefined) return;
  const object = what();
  throw new RuntimeError(
    "NotJson",
    `Cannot write ${object}: ${odd}, which JSON does not have. Correct what makes it.`,
    {
      object,
    },
  );
}

/** The first part that JSON does not have, as in `spec.replicas is NaN`; undefined if there is none. */
export function oddIn(value: unknown): string | undefined {
  return firstOdd(value, "", 0);
}

function firstOdd(value: unknown, path: string, depth: number): string | undefined {
  if (typeof value === "object" && value !== null) return depth > DEEPEST ? undefined : firstOddIn(value, path, depth);
  const name = nameOfOdd(value);
  return name === undefined ? undefined : `${path} is ${name}`;
}

/** JSON writes these as `{}`, whatever they contain. */
const EMPTY_IN_JSON = [Map, Set, Promise] as const;

function firstOddIn(value: object, path: string, depth: number): string | undefined {
  // Values with toJSON, such as dates, serialize themselves.
  if ("toJSON" in value) return undefined;
  const empty = EMPTY_IN_JSON.find((kind) => value instanceof kind);
  if (empty !== undefined) return `${path} is a ${empty.name}`;
  for (const [name, part] of Object.entries(value)) {
    const at = Array.isArray(value) ? `${path}[${name}]` : fieldPath(path, name);
    const odd = firstOdd(part, at, depth + 1);
    if (odd !== undefined) return odd;
  }
  return undefined;
}

function nameOfOdd(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? undefined : String(value);
  if (typeof value === "bigint") return "a bigint";
  return typeof value === "function" || typeof value === "symbol" ? `a ${typeof value}` : undefined;
}
