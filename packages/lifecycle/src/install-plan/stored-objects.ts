/** Whether a stored custom resource satisfies another schema. */
import type { Json, KubeObject } from "@capstan/model";
import { compileValidator, readSchema } from "@capstan/schema";

/** The problems of an object with a schema, as one text; undefined if there are none. */
export function schemaErrors(schema: unknown, object: KubeObject): string | undefined {
  // Schemas and objects come from a server, so they are JSON.
  const validate = compileValidator(readSchema(schema as Json));
  const texts = validate(object as unknown as Json).map(({ field, body }) => `${String(field)}: ${body}`);
  if (texts.length === 0) return undefined;
  return texts.length === 1 ? texts[0] : `[${texts.join(", ")}]`;
}
