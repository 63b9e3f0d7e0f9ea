/** Whether a stored object matches the schema of its kind. It may not: objects outlive the schema that they were admitted with. */
import { compileValidator, readSchema } from "@capstan/schema";
import type { Validator } from "@capstan/schema";
import { fieldErrors } from "@capstan/model";
import type { Json, Kind, StoredObject } from "@capstan/model";
import { isResource } from "../resource.ts";

/** Returns why an object cannot be reconciled; undefined if it can. */
export type ProblemOf = (object: StoredObject) => string | undefined;

/** The validator of a kind with a schema; other kinds are validated by the server only. Compiled on first use. */
export function validityOf(kind: Kind): ProblemOf | undefined {
  if (!isResource(kind)) return undefined;
  const schema = kind.versions[kind.version]?.schema;
  if (schema === undefined) return undefined;
  let validator: Validator | undefined;
  return (object) => {
    validator ??= compileValidator(readSchema(schema as unknown as Json));
    // The operator writes the status; only fields of other writers are validated.
    const { status: _status, ...rest } = object as StoredObject & { readonly status?: unknown };
    const [first] = validator(rest as unknown as Json);
    return first === undefined ? undefined : fieldErrors.format(first);
  };
}
