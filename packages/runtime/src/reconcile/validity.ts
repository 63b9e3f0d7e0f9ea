/** Whether a stored object fits the schema of its kind. It may not: objects outlive the schema that they were admitted with. */
import { compileValidator, readSchema } from "@capstan/schema";
import type { Validator } from "@capstan/schema";
import { fieldErrors } from "@capstan/model";
import type { Json, Kind, StoredObject } from "@capstan/model";
import { isResource } from "../resource.ts";

/** Says why an object cannot be worked on; undefined where it can. */
export type ProblemOf = (object: StoredObject) => string | undefined;

/** The check of a kind that carries its schema; other kinds are the server's own business. Compiled when first needed. */
export function validityOf(kind: Kind): ProblemOf | undefined {
  if (!isResource(kind)) return undefined;
  const schema = kind.versions[kind.version]?.schema;
  if (schema === undefined) return undefined;
  let validator: Validator | undefined;
  return (object) => {
    validator ??= compileValidator(readSchema(schema as unknown as Json));
    // The status is ours to write; only what others wrote is judged.
    const { status: _status, ...rest } = object as StoredObject & { readonly status?: unknown };
    const [first] = validator(rest as unknown as Json);
    return first === undefined ? undefined : fieldErrors.format(first);
  };
}
