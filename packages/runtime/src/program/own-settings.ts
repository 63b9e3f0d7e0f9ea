/** An operator's own settings: declared as a schema, read from flags, the environment and a file, and checked before it starts. */
import type { FieldError, Json } from "@capstan/model";
import { applyDefaults, defineResource, readSchema, settingsOf } from "@capstan/schema";
import type { Fields, JsonSchema, ObjectSchema, Resource } from "@capstan/schema";
import { RuntimeError } from "../errors.ts";

/** The schema of an operator's own settings: each field is one setting. */
export type SettingsSchema = ObjectSchema<Fields>;

/** The values of an operator's settings, with the schema by which a reconcile asks for them. */
export interface OwnSettings {
  readonly schema: SettingsSchema;
  readonly values: object;
}

/** Throws if a schema has a field that cannot be a flag. */
export function checkSettings(schema: SettingsSchema, taken: readonly string[]): void {
  for (const { field, flag, json } of settingsOf(schema.json)) {
    const item = json.type === "array" ? json.items : json;
    if (!/^[a-z][a-zA-Z0-9]*$/u.test(field))
      throw badDeclaration(field, "is no name for a setting: write it in camelCase, such as registryUrl");
    if (taken.includes(flag)) throw badDeclaration(field, `would be --${flag}, which every operator has: rename it`);
    if (!["string", "integer", "number", "boolean"].includes(String(item?.type)))
      throw badDeclaration(field, "must be a text, a number, a boolean, or a list of them");
  }
  void resourceOf(schema);
}

/** The settings from their texts, by flag. The error for an invalid or missing one names it and its variable. */
export function readOwnSettings(schema: SettingsSchema, texts: ReadonlyMap<string, string>): OwnSettings {
  const given = settingsOf(schema.json).flatMap(({ field, flag, json }) => {
    const text = texts.get(flag);
    return text === undefined ? [] : [[field, toJson(text, json)] as const];
  });
  return completeSettings(schema, Object.fromEntries(given));
}

/** The settings from their values, with defaults. */
function completeSettings(schema: SettingsSchema, given: object): OwnSettings {
  const spec = applyDefaults(given as Json, readSchema(schema.json as unknown as Json));
  const [error] = resourceOf(schema).validate({
    apiVersion: "settings.capstan.dev/v1",
    kind: "Settings",
    metadata: { name: "settings" },
    spec,
  });
  if (error !== undefined) throw badValue(schema, error);
  return { schema, values: Object.freeze(spec as object) };
}

/** The settings when they are first needed: a plan or a test may do without a setting that is required. */
export function settingsOnDemand(
  schema: SettingsSchema | undefined,
  given: object | undefined,
): () => OwnSettings | undefined {
  let own: OwnSettings | undefined;
  return () => (own ??= schema && completeSettings(schema, given ?? {}));
}

/** The settings for a reconcile that asks by schema. */
export function settingsFor(own: OwnSettings | undefined, schema: SettingsSchema): object {
  if (own?.schema === schema) return own.values;
  throw new RuntimeError(
    "BadSetting",
    "Cannot read settings of a schema that the operator does not declare: write operator({ settings: schema }).",
  );
}

/** Settings are checked like a spec: formats, bounds and rules mean the same. */
function resourceOf(schema: SettingsSchema): Resource {
  return defineResource({ group: "settings.capstan.dev", version: "v1", kind: "Settings", spec: schema });
}

/** A text as the value that the schema expects; a text that does not fit stays, and fails the check. */
function toJson(text: string, schema: JsonSchema | undefined): Json {
  switch (schema?.type) {
    case "integer":
    case "number":
      return text.trim() === "" || Number.isNaN(Number(text)) ? text : Number(text);
    case "boolean":
      return text === "true" || text === "false" ? text === "true" : text;
    case "array":
      return text === "" ? [] : text.split(",").map((part) => toJson(part.trim(), schema.items));
    default:
      return text;
  }
}

function badDeclaration(field: string, why: string): RuntimeError {
  return new RuntimeError("BadSetting", `Cannot declare the setting "${field}": it ${why}.`);
}

/** The message of the check has the value in it: for a secret it is left out. */
function badValue(schema: SettingsSchema, { field, body, type }: FieldError): RuntimeError {
  const name = String(field).replace(/^spec\.?/u, "");
  const setting = settingsOf(schema.json).find((one) => one.field === name.split(/[.[]/u, 1)[0]);
  if (setting === undefined) return new RuntimeError("BadSetting", `Cannot use the settings: ${body}. Correct them.`);
  const { flag, env, isSecret } = setting;
  const how = `Set --${flag} or ${env}.`;
  if (type === "FieldValueRequired")
    return new RuntimeError("BadSetting", `Cannot start: the setting ${flag} is missing. ${how}`);
  return new RuntimeError("BadSetting", `Cannot use the setting ${flag}: ${isSecret ? "it is invalid" : body}. ${how}`);
}
