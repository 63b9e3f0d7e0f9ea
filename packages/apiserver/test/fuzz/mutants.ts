/** Mutations of valid objects: one field deep in the object, so that each error is isolated. */
import fc, { type Arbitrary } from "fast-check";
import type { Json } from "@capstan/model";
import { resolved, type Schema } from "./schema.ts";
import { valueOf, type Fields } from "./values.ts";

/** A path in an object: field names and list indexes. */
export type Place = readonly (string | number)[];

/** A change at one path; `undefined` removes the value. */
export interface Mutation {
  readonly place: Place;
  readonly value: Json | undefined;
}

/** Mutations below a value, mostly at existing fields. */
export function mutationsOf(schema: Schema, value: Json | undefined, roots?: readonly string[]): Arbitrary<Mutation> {
  return walk(schema, value, { place: [], roots });
}

interface Way {
  readonly place: Place;
  readonly roots?: readonly string[] | undefined;
}

function walk(schema: Schema, value: Json | undefined, { place, roots }: Way): Arbitrary<Mutation> {
  const whole = resolved(schema);
  const here = fc
    .oneof({ weight: 9, arbitrary: valueOf(schema, 3) }, { weight: 1, arbitrary: fc.constant(undefined) })
    .map((changed) => ({ place, value: changed }));
  const below = stepsBelow(whole, value, roots);
  if (below.length === 0) return here;
  const deeper = fc
    .constantFrom(...below)
    .chain(([step, part]) => walk(part, child(value, step), { place: [...place, step] }));
  return place.length === 0 ? deeper : fc.oneof({ weight: 1, arbitrary: here }, { weight: 4, arbitrary: deeper });
}

/** The children to descend into: existing fields count twice. */
function stepsBelow(
  schema: Schema,
  value: Json | undefined,
  roots: readonly string[] | undefined,
): [string | number, Schema][] {
  if (schema.type === "array") {
    const length = Array.isArray(value) ? value.length : 0;
    return Array.from({ length }, (_, index) => [index, schema.items ?? {}]);
  }
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) =>
    roots === undefined ? name !== "apiVersion" && name !== "kind" : roots.includes(name),
  );
  const present = fields.filter(([name]) => child(value, name) !== undefined);
  const keys = schema.additionalProperties === undefined || !isFields(value) ? [] : Object.keys(value);
  const entries = keys.map((key): [string, Schema] => [key, schema.additionalProperties ?? {}]);
  return [...fields, ...present, ...present, ...entries];
}

function child(value: Json | undefined, step: string | number): Json | undefined {
  if (Array.isArray(value)) return value[Number(step)];
  return isFields(value) ? value[String(step)] : undefined;
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value with a mutation applied. */
export function mutated(value: Json | undefined, { place, value: changed }: Mutation): Json | undefined {
  const [first, ...rest] = place;
  if (first === undefined) return changed;
  const part = mutated(child(value, first), { place: rest, value: changed });
  if (typeof first === "number") {
    const items = Array.isArray(value) ? [...value] : [];
    if (part === undefined) items.splice(first, 1);
    else items[first] = part;
    return items;
  }
  const { [first]: _old, ...others } = isFields(value) ? value : {};
  return part === undefined ? others : { ...others, [first]: part };
}

/** Only the changed path, as in a patch; lists around it are complete. */
export function alone(value: Json | undefined, { place, value: changed }: Mutation): Json {
  const [first, ...rest] = place;
  if (first === undefined) return changed ?? null;
  if (typeof first === "number") return mutated(value, { place, value: changed }) ?? null;
  return { [first]: alone(child(value, first), { place: rest, value: changed }) };
}

/** The path as a JSON pointer. */
export function toPointer(place: Place): string {
  return place.map((part) => `/${String(part).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");
}
