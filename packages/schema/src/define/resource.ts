/** `defineResource`: one value that is the kind, its types, its CRD and its rules. */
import type { Kind, Scope } from "@capstan/model";
import { checkDefinition } from "./check.ts";
import type { Fields, ObjectSchema } from "./collections.ts";
import { type CustomResourceDefinition, toCustomResourceDefinition } from "./crd.ts";
import type { Hooks, Naming, ResourceApply, ResourceObject, SpecSchema } from "./definition.ts";
import { DefinitionError } from "./errors.ts";
import { checkKnownKeys } from "./known-keys.ts";
import { toPlural } from "./plural.ts";
import { type Validate, validating } from "./validate.ts";
import type { VersionFacts } from "./version-facts.ts";
import {
  type Conversions,
  type Definition,
  type StoredSpec,
  type StoredStatus,
  type Versions,
  readVersions,
} from "./versions.ts";

type AnyObject = ObjectSchema<Fields>;

/**
 * A resource as its users hold it: a kind to ask for, and everything else that was said about it.
 *
 * @example
 * const crdNameOf = ({ plural, group }: Pick<Resource, "plural" | "group">) => `${plural}.${group}`;
 * crdNameOf(Memcached);
 */
export interface Resource<
  Spec = unknown,
  Status = unknown,
  Conditions extends string = string,
  S extends Scope = Scope,
> extends Kind<ResourceObject<Spec, Status, Conditions>, ResourceApply<Spec, Status, Conditions>, S> {
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly describe: string | undefined;
  /** The declared conditions and their sentences. */
  readonly conditions: { readonly [Name in Conditions]: string };
  /** The facts of each served version, by name. */
  readonly versions: { readonly [version: string]: VersionFacts };
  readonly hooks: Hooks<Spec, Status, Conditions>;
  readonly conversions: Conversions;
  /** The CRD, as it is sent to a cluster. */
  readonly toCrd: () => CustomResourceDefinition;
  /** The server's validation errors of an object, schema and rules alike; webhook functions are not called. */
  readonly validate: Validate;
}

/** A resource with several versions: each of them is a kind. */
export type VersionedResource<V extends Versions, Conditions extends string, S extends Scope> = Resource<
  StoredSpec<V>,
  StoredStatus<V>,
  Conditions,
  S
> & {
  readonly as: {
    readonly [Name in keyof V]: Kind<
      ResourceObject<V[Name]["spec"], V[Name]["status"], Conditions>,
      ResourceApply<V[Name]["spec"], V[Name]["status"], Conditions>,
      S
    >;
  };
};

/**
 * Defines a resource. What cannot be expressed in a CRD is an error here, naming the field, and not later when it is applied.
 *
 * @example
 * const Website = defineResource({
 *   group: "example.com",
 *   version: "v1",
 *   kind: "Website",
 *   spec: s.object({ host: s.string(), replicas: s.int32().min(0).default(1) }),
 *   status: s.object({ url: s.string().optional() }),
 *   conditions: { Ready: "The website answers" },
 * });
 */
export function defineResource<
  const Spec extends SpecSchema = SpecSchema,
  const Status extends AnyObject | undefined = undefined,
  const Conditions extends string = never,
  const S extends Scope = "Namespaced",
  const V extends Versions = never,
>(
  definition: Definition<Spec, Status, Conditions, S, V>,
): [V] extends [never] ? Resource<Spec, Status, Conditions, S> : VersionedResource<V, Conditions, S>;
// There is one signature, not an overload for each form: for a call that fits no overload, the compiler reports another place.
export function defineResource(definition: LooseDefinition): Resource {
  try {
    return toResource(definition);
  } catch (error) {
    // The stack trace begins at the caller, not in the functions that check the definition.
    if (error instanceof DefinitionError) Error.captureStackTrace(error, defineResource);
    throw error;
  }
}

function toResource(definition: LooseDefinition): Resource {
  checkKnownKeys(definition);
  const { facts, storage, conversions } = readVersions(definition);
  const resource: Resource = {
    group: definition.group,
    version: storage,
    kind: definition.kind,
    plural: definition.plural ?? toPlural(definition.kind),
    singular: definition.singular ?? definition.kind.toLowerCase(),
    shortNames: definition.shortNames ?? [],
    categories: definition.categories ?? [],
    scope: definition.scope ?? "Namespaced",
    describe: definition.describe,
    conditions: definition.conditions ?? {},
    versions: facts,
    hooks: pickHooks(definition),
    conversions,
    toCrd: () => toCustomResourceDefinition(resource),
    validate: (object, old) => judge(object, old),
  };
  const judge = validating(resource);
  checkDefinition(resource);
  return Object.freeze({
    ...resource,
    as: Object.fromEntries(Object.keys(facts).map((version) => [version, Object.freeze({ ...resource, version })])),
  });
}

type LooseDefinition = Naming &
  Hooks<unknown, unknown, string> &
  Parameters<typeof readVersions>[0] & { readonly conditions?: { readonly [name: string]: string } };

function pickHooks({ validate, default: fill }: Hooks<unknown, unknown, string>): Hooks<unknown, unknown, string> {
  return { ...(validate ? { validate } : {}), ...(fill ? { default: fill } : {}) };
}
