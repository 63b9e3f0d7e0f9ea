/** Objects of a resource for property tests, drawn by fast-check: those that the server accepts, and those that it rejects. */
import fc from "fast-check";
import type { Arbitrary } from "fast-check";
import { apiVersionOf } from "@capstan/model";
import type { Json, Kind } from "@capstan/model";
import { DefinitionError } from "../errors.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { Validate } from "../validate.ts";
import type { VersionFacts } from "../version-facts.ts";
import { spoiledOf } from "./spoil.ts";
import { valuesOf } from "./values.ts";

/**
 * What is needed of a resource; `defineResource` gives it.
 *
 * @example
 * const small = (resource: Drawable) => arbitraryOf(resource, { namespace: "default" });
 * small(Memcached);
 */
export interface Drawable extends Kind {
  readonly versions: { readonly [version: string]: VersionFacts };
  readonly validate: Validate;
}

/** The spec that a resource's users write. */
type SpecOf<K extends Drawable> =
  NonNullable<K["~types"]> extends { readonly apply: { readonly spec?: infer S } } ? NonNullable<S> : unknown;

/**
 * An object as a user would send it.
 *
 * @example
 * const nameOf = ({ metadata }: Drawn<unknown>) => metadata.name;
 */
export interface Drawn<Spec> {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly spec: Spec;
}

/**
 * Where drawn objects are to live.
 *
 * @example
 * const options: DrawOptions = { namespace: "default" };
 * arbitraryOf(Memcached, options);
 */
export interface DrawOptions {
  readonly namespace?: string;
}

/**
 * Objects that the server would take: they fit the schema and keep every rule.
 *
 * @example
 * import fc from "fast-check";
 *
 * fc.assert(fc.property(arbitraryOf(Memcached), ({ spec }) => (spec.size ?? 1) >= 0));
 */
export function arbitraryOf<K extends Drawable>(resource: K, options: DrawOptions = {}): Arbitrary<Drawn<SpecOf<K>>> {
  const isGood = patiently(resource, (object: Drawn<unknown>) => resource.validate(object).length === 0);
  const objects = candidates(resource, options).filter(isGood);
  // The values were drawn from the schema that the type was inferred from.
  return objects as Arbitrary<Drawn<unknown>> as Arbitrary<Drawn<SpecOf<K>>>;
}

/**
 * Objects that the server would refuse, each of them good but for one place.
 *
 * @example
 * import fc from "fast-check";
 *
 * fc.assert(fc.property(invalidArbitraryOf(Memcached), (object) => Memcached.validate(object).length > 0));
 */
export function invalidArbitraryOf(resource: Drawable, options: DrawOptions = {}): Arbitrary<Drawn<unknown>> {
  const schema = specSchema(resource);
  return arbitraryOf(resource, options)
    .chain((object) => {
      const spoiled = spoiledOf(schema, object.spec as Json) ?? fc.constant<Json>("no object at all");
      return spoiled.map((spec) => ({ ...object, spec }));
    })
    .filter((object) => resource.validate(object).length > 0);
}

/** After this many rejected values in a row drawing fails: the rules accept hardly any value. */
const PATIENCE = 10_000;

/** A condition that fails with a message instead of searching forever. */
function patiently<T>({ kind }: Drawable, isGood: (value: T) => boolean): (value: T) => boolean {
  let refused = 0;
  return (value) => {
    const good = isGood(value);
    refused = good ? 0 : refused + 1;
    if (refused < PATIENCE) return good;
    const problem = `no object that keeps the rules was among ${PATIENCE} that fit the schema`;
    throw new DefinitionError("BadRule", kind, `${problem}; make them with fc.record and map instead`);
  };
}

function candidates(resource: Drawable, { namespace = "default" }: DrawOptions): Arbitrary<Drawn<unknown>> {
  const place = resource.scope === "Namespaced" ? { namespace } : {};
  const names = fc.stringMatching(/^[a-z][a-z0-9]{0,11}$/u);
  const head = { apiVersion: apiVersionOf(resource), kind: resource.kind };
  return fc
    .tuple(names, valuesOf(specSchema(resource)))
    .map(([name, spec]) => ({ ...head, metadata: { name, ...place }, spec }));
}

function specSchema({ versions, version }: Drawable): JsonSchema {
  return versions[version]?.schema.properties?.["spec"] ?? { type: "object" };
}
