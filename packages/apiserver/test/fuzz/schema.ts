/** The schemas of the built-in kinds, as kube-apiserver publishes them. */
import { definitionNameOf } from "@capstan/kinds";
import { openApiV2 } from "@capstan/kinds/openapi";
import { parseApiVersion } from "@capstan/model";

/** A schema. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly properties?: { readonly [name: string]: Schema };
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
}

const prefix = "#/definitions/";

/** The name of the definition that a schema references; empty without a reference. */
export function referenceOf({ $ref = "" }: Schema): string {
  return $ref.slice(prefix.length);
}

export function definition(name: string): Schema {
  const { definitions } = openApiV2() as unknown as { definitions: { readonly [name: string]: Schema } };
  const found = definitions[name];
  if (found === undefined) throw new RangeError(`there is no definition ${name}`);
  return found;
}

/** The schema behind a reference. */
export function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : definition(referenceOf(schema));
}

/** The schema of a kind. */
export function schemaOfKind(apiVersion: string, kind: string): Schema {
  return definition(definitionNameOf({ ...parseApiVersion(apiVersion), kind }) ?? "");
}
