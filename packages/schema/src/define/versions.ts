/** Several versions of one resource, and the conversions between them. */
import type { Scope } from "@capstan/model";
import type { Fields, ObjectSchema } from "./collections.ts";
import { toColumns } from "./columns.ts";
import { conditionFields } from "./conditions.ts";
import type { Column, Hooks, Naming, SpecSchema, VersionDefinition } from "./definition.ts";
import { DefinitionError } from "./errors.ts";
import { withFilledDefaults } from "./fill-defaults.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { Infer, InferInput, Presence } from "./schema.ts";
import type { VersionFacts } from "./version-facts.ts";

type AnyObject = ObjectSchema<Fields>;

/** Versions by name; exactly one of them is the storage version. Their paths are checked against their own schemas below. */
export interface Versions {
  readonly [name: string]: Omit<
    VersionDefinition<SpecSchema, AnyObject | undefined, string>,
    "columns" | "scale" | "selectable" | "statusRequired"
  > & {
    readonly columns?: { readonly [title: string]: Column<string> };
    readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string };
    readonly selectable?: readonly string[];
    readonly statusRequired?: readonly string[];
    readonly storage?: true;
  };
}

/** The same versions, with every path one of the version's own fields, and no key that has no effect. */
type Checked<V extends Versions, Conditions extends string> = {
  readonly [Name in keyof V]: Pick<
    VersionDefinition<V[Name]["spec"], V[Name]["status"], Conditions>,
    "columns" | "scale" | "selectable" | "statusRequired"
  > & {
    readonly [Key in Exclude<keyof V[Name], keyof Versions[string]>]: "is not a key of a version";
  };
} & ([StorageOf<V>] extends [never] ? { readonly "one version needs `storage: true`": never } : unknown);

/** The name of the storage version; never, if there is none. */
export type StorageOf<V extends Versions> = {
  [Name in keyof V]: V[Name] extends { readonly storage: true } ? Name : never;
}[keyof V];

type SpecIn<D> = D extends { readonly spec: infer S } ? InferInput<S> : never;
type SpecOut<D> = D extends { readonly spec: infer S } ? Infer<S> : never;

type Intersection<T> = (T extends unknown ? (value: T) => void : never) extends (value: infer I) => void ? I : never;

/**
 * The spec of the storage version; `Single` if there are not several versions. Without a storage version, the specs of all together: that
 * mistake is reported once, at the versions, and not again at each use of a field.
 */
export type StoredSpec<V extends Versions, Single = unknown> = [V] extends [never]
  ? Single
  : [StorageOf<V>] extends [never]
    ? Intersection<V[keyof V]["spec"]>
    : V[StorageOf<V>]["spec"];

/** The status of the storage version, likewise. */
export type StoredStatus<V extends Versions, Single = undefined> = [V] extends [never]
  ? Single
  : [StorageOf<V>] extends [never]
    ? Intersection<StatusIn<V[keyof V]>>
    : V[StorageOf<V>]["status"];

type StatusIn<D> = D extends { readonly status: infer S extends AnyObject } ? S : never;

/** Conversions of every version to the stored one and back: a missing direction does not compile. */
export type ConversionsFor<V extends Versions, Storage extends keyof V = StorageOf<V>> = {
  readonly [Name in Exclude<keyof V, Storage> as `${Name & string}->${Storage & string}`]: (
    spec: SpecOut<V[Name]>,
  ) => SpecIn<V[Storage]>;
} & {
  readonly [Name in Exclude<keyof V, Storage> as `${Storage & string}->${Name & string}`]: (
    spec: SpecOut<V[Storage]>,
  ) => SpecIn<V[Name]>;
} & {
  // Gives the parameter of a function with a misspelt direction a type, so that only the missing direction is an error.
  readonly [direction: string]: (spec: Intersection<SpecOut<V[keyof V]>>) => object;
};

/** What the definition of a resource with one version, or with several, must and must not have. */
type Form<V extends Versions> = [V] extends [never]
  ? { readonly version: string; readonly spec: SpecSchema }
  : { readonly versions: object; readonly convert: object } & {
      readonly [Key in "version" | keyof Versions[string]]?: { readonly "belongs to each entry of `versions`": never };
    };

/**
 * The definition of a resource: with `version` and the parts of that version, or with `versions` and `convert`. It is not a union of the
 * two, so that the compiler knows the types of the functions in it whatever else is wrong.
 */
export type Definition<
  Spec extends SpecSchema,
  Status extends AnyObject | undefined,
  Conditions extends string,
  S extends Scope,
  V extends Versions,
> = Naming<S> &
  Partial<VersionDefinition<Spec, Status, NoInfer<Conditions>>> &
  Hooks<StoredSpec<V, Spec>, StoredStatus<V, Status>, NoInfer<Conditions>> & {
    readonly version?: string;
    readonly versions?: V & Checked<NoInfer<V>, NoInfer<Conditions>>;
    // Behind a condition, so that the compiler infers `V` before it checks the functions.
    readonly convert?: V extends Versions ? ConversionsFor<V> : never;
    /** The conditions that its controllers set, each with the sentence that is true when the condition is. */
    readonly conditions?: { readonly [Name in Conditions]: string };
  } & Form<V>;

/** A conversion of the spec from one version to another. */
export type Convert = (spec: unknown) => unknown;

/** The declared conversions, by `from->to`. */
export type Conversions = { readonly [direction: string]: Convert };

interface LooseVersion {
  readonly spec: { readonly json: JsonSchema; readonly presence: Presence };
  readonly specRequired?: boolean;
  readonly statusRequired?: readonly string[] | undefined;
  readonly served?: boolean;
  readonly status?: { readonly json: JsonSchema } | undefined;
  readonly rules?: readonly NonNullable<JsonSchema["x-kubernetes-validations"]>[number][];
  readonly columns?: Parameters<typeof toColumns>[0];
  readonly scale?: { readonly spec: string; readonly status: string; readonly selector?: string };
  readonly selectable?: readonly string[];
  readonly deprecated?: string;
  readonly storage?: true;
}

type LooseVersions =
  | (LooseVersion & { readonly version: string })
  | { readonly versions: { readonly [name: string]: LooseVersion }; readonly convert: Conversions };

interface Stated {
  readonly facts: { readonly [version: string]: VersionFacts };
  readonly storage: string;
  readonly conversions: Conversions;
}

export function readVersions(definition: LooseVersions & { readonly conditions?: object }): Stated {
  const conditions = Object.keys(definition.conditions ?? {});
  if ("version" in definition) {
    const facts = { [definition.version]: toFacts(definition.version, { ...definition, storage: true }, conditions) };
    return { facts, storage: definition.version, conversions: {} };
  }
  const entries = Object.entries(definition.versions);
  const stored = entries.filter(([, version]) => version.storage === true).map(([name]) => name);
  const [storage] = stored;
  if (storage === undefined || stored.length > 1) {
    throw new DefinitionError(
      "BadVersions",
      "versions",
      `exactly one version needs \`storage: true\`, ${stored.length} have it`,
    );
  }
  return {
    facts: Object.fromEntries(entries.map(([name, version]) => [name, toFacts(name, version, conditions)])),
    storage,
    conversions: definition.convert,
  };
}

function toFacts(name: string, version: LooseVersion, conditions: readonly string[]): VersionFacts {
  const schema = withFilledDefaults(objectSchema(version, conditions.length > 0));
  return {
    name,
    storage: version.storage === true,
    served: version.served ?? true,
    schema,
    columns: toColumns(version.columns ?? {}, { schema, conditions }),
    scale: version.scale && { selector: undefined, ...version.scale },
    selectable: version.selectable ?? [],
    deprecated: version.deprecated,
  };
}

/** The whole object: a spec that may be omitted when nothing in it is required, and a status. */
function objectSchema(version: LooseVersion, conditioned: boolean): JsonSchema {
  const { spec, status, statusRequired = [], specRequired = false, rules = [] } = version;
  const hasDemands = (spec.json.required ?? []).length > 0;
  const mayLack = spec.presence === "optional";
  const needed = (hasDemands || specRequired) && !mayLack;
  const validations = [...(spec.json["x-kubernetes-validations"] ?? []), ...rules];
  const specSchema: JsonSchema = {
    ...spec.json,
    ...(needed || mayLack ? {} : { default: {} }),
    ...(validations.length > 0 ? { "x-kubernetes-validations": validations } : {}),
  };
  return {
    type: "object",
    properties: {
      apiVersion: { type: "string" },
      kind: { type: "string" },
      metadata: { type: "object" },
      spec: specSchema,
      ...(status || conditioned
        ? { status: statusSchema(status?.json, { conditioned, required: statusRequired }) }
        : {}),
    },
    ...(needed ? { required: ["spec"] } : {}),
  };
}

/** Status is written piece by piece, so nothing is required at its top level unless the definition says so. */
function statusSchema(
  status: JsonSchema | undefined,
  { conditioned, required }: { readonly conditioned: boolean; readonly required: readonly string[] },
): JsonSchema {
  const { required: _, ...rest } = status ?? { type: "object" };
  if (conditioned && rest.properties?.["conditions"] !== undefined) {
    throw new DefinitionError(
      "BadName",
      "status.conditions",
      "is made from the conditions that are declared; take it out of `status`, or declare none",
    );
  }
  return {
    ...rest,
    ...(required.length > 0 ? { required } : {}),
    properties: {
      ...rest.properties,
      ...(conditioned ? conditionFields : { observedGeneration: conditionFields["observedGeneration"] ?? {} }),
    },
  };
}
