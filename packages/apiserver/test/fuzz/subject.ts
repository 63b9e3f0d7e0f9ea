/** A kind under test, with the parts that all its requests share. */
import fc, { type Arbitrary } from "fast-check";
import type { FuzzedKind } from "./kinds.ts";
import { mutationsOf, type Mutation } from "./mutants.ts";
import { schemaOfKind, type Schema } from "./schema.ts";
import type { Fields } from "./values.ts";

/** A kind and its base object. */
export interface Subject extends FuzzedKind {
  readonly schema: Schema;
  /** The complete base object. */
  readonly sound: Fields;
  /** The path of the base object. */
  readonly at: string;
}

/** A kind in a namespace. */
export function subjectOf(kind: FuzzedKind, namespace: string): Subject {
  const { apiVersion, path, name, base } = JSON.parse(JSON.stringify(kind).replaceAll("{ns}", namespace)) as FuzzedKind;
  const { metadata = {}, ...rest } = base;
  const sound = { apiVersion, kind: kind.kind, metadata: { name, ...(metadata as Fields) }, ...rest };
  return { ...kind, path, name, base, schema: schemaOfKind(apiVersion, kind.kind), sound, at: `${path}/${name}` };
}

/** One to three mutations of the base object. */
export function mutantsOf({ schema, sound }: Subject, roots?: readonly string[]): Arbitrary<Mutation[]> {
  return fc.array(mutationsOf(schema, sound, roots), { minLength: 1, maxLength: 3 });
}

/** The fields that a subresource owns. */
export function rootsOf({ schema }: Subject, subresource: string): readonly string[] | undefined {
  return subresource === "status" && schema.properties?.["status"] !== undefined ? ["status", "metadata"] : undefined;
}

const validations = fc.constantFrom(
  "",
  "&fieldValidation=Strict",
  "&fieldValidation=Strict",
  "&fieldValidation=Ignore",
  "&fieldValidation=Warn",
  "&fieldValidation=x",
);

/** A dry run with random field validation. */
export const trials: Arbitrary<string> = validations.map((validation) => `?dryRun=All&fieldManager=fuzz${validation}`);
