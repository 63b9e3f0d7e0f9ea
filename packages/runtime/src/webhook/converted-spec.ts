/** Checks the spec that a conversion function returns against the schema of the target version. */
import type { FieldError, Json } from "@capstan/model";
import { compileValidator, prune, readSchema } from "@capstan/schema";
import type { Resource, StructuralSchema } from "@capstan/schema";

/** A conversion of one spec. */
export interface ConvertedSpec {
  readonly from: string;
  readonly to: string;
  readonly before: Json;
  readonly after: Json;
}

/** Throws if the result does not fit the target version; `what` names the function. */
export type CheckConverted = (converted: ConvertedSpec, what: string) => void;

/** The number of mistakes that are shown. */
const SHOWN = 3;

/** Types of errors that show a wrong structure: such a spec is of no use to any reader. */
const STRUCTURE: ReadonlySet<FieldError["type"]> = new Set(["FieldValueTypeInvalid", "FieldValueRequired"]);

/**
 * A check for the versions of a resource. An unknown field or a value of the wrong type would be dropped or stored as it is, which loses
 * the user's data. A value that breaks another rule of the target version must not be stored; reading it is possible, so that one object
 * does not hide all others. A partial spec, as the server sends during an apply, and one that is invalid already, may lack fields.
 */
export function checkingConverted({ versions }: Resource, storage: string): CheckConverted {
  const schemas = new Map<string, SpecSchema | undefined>();
  const schemaOf = (version: string): SpecSchema | undefined => {
    if (!schemas.has(version)) schemas.set(version, specSchemaOf(versions[version]?.schema as unknown as Json));
    return schemas.get(version);
  };
  return ({ from, to, before, after }, what) => {
    const [source, target] = [schemaOf(from), schemaOf(to)];
    if (source === undefined || target === undefined) return;
    const known = new Set(source.unknown(before));
    const unknown = target.unknown(after).filter((field) => !known.has(field));
    const isComplete = source.errors(before).length === 0;
    const errors = target.errors(after).filter(({ type }) => isMistake(type, isComplete, to === storage));
    const mistakes = [
      ...unknown.map((field) => `spec.${field} is not in the schema of ${to}`),
      ...errors.map(({ field, body }) => `${field}: ${body}`),
    ];
    if (mistakes.length === 0) return;
    const more = mistakes.length > SHOWN ? `; and ${mistakes.length - SHOWN} more` : "";
    throw new Error(
      `${what} returned a spec that is not one of ${to}: ${mistakes.slice(0, SHOWN).join("; ")}${more}. Correct the function.`,
    );
  };
}

function isMistake(type: FieldError["type"], isComplete: boolean, isStored: boolean): boolean {
  if (type === "FieldValueTypeInvalid") return true;
  return isComplete && (isStored || STRUCTURE.has(type));
}

interface SpecSchema {
  readonly errors: (spec: Json) => readonly FieldError[];
  /** The paths of fields that the schema does not have, from the spec. */
  readonly unknown: (spec: Json) => readonly string[];
}

function specSchemaOf(schema: Json): SpecSchema | undefined {
  const spec: StructuralSchema | undefined = readSchema(schema).properties?.get("spec");
  if (spec === undefined) return undefined;
  const validate = compileValidator(spec);
  return {
    errors: (value) => validate(value, { path: "spec" }),
    unknown: (value) => prune(value, spec, false).unknown,
  };
}
