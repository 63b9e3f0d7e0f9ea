/** The settings of a program, declared as a schema: their names as flags and environment variables. */
import type { Json } from "@capstan/model";
import type { JsonSchema } from "./json-schema.ts";

/** One setting of a program. */
export interface Setting {
  /** The field of the schema. */
  readonly field: string;
  /** The name of its flag: `registryUrl` is `registry-url`. */
  readonly flag: string;
  /** The name of its environment variable: `CAPSTAN_REGISTRY_URL`. */
  readonly env: string;
  readonly about: string;
  /** Whether it comes from a Secret: a text of the format `password`. */
  readonly isSecret: boolean;
  readonly isRequired: boolean;
  readonly default: Json | undefined;
  readonly json: JsonSchema;
}

/** The settings of a schema, in the order of its fields. */
export function settingsOf({ properties = {}, required = [] }: JsonSchema): readonly Setting[] {
  return Object.entries(properties).map(([field, json]) => {
    const flag = field.replaceAll(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`);
    return {
      field,
      flag,
      env: `CAPSTAN_${flag.toUpperCase().replaceAll("-", "_")}`,
      about: json.description ?? "",
      isSecret: json.format === "password",
      isRequired: required.includes(field),
      // A default is JSON, which its type cannot express.
      default: json.default as Json | undefined,
      json,
    };
  });
}
