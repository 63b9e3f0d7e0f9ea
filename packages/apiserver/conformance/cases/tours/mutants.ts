/** A valid object of every kind with one value at a time replaced by an invalid one. */
import { defineTopic, post, put, type Step, type Topic } from "../../case.ts";
import { ofEvery, type Sample } from "./sample.ts";

type Place = readonly (string | number)[];

/** Pod templates are the same in every kind: these fields are tested with pods only. */
const sameEverywhere = new Set(["containers", "volumes", "tolerations"]);

/** Every path in a value, parents before children. */
function* placesIn(value: unknown, at: Place, isPod: boolean): Generator<Place> {
  if (at.length > 0) yield at;
  if (typeof value !== "object" || value === null) return;
  for (const [key, part] of Object.entries(value)) {
    if (!isPod && sameEverywhere.has(key)) continue;
    yield* placesIn(part, [...at, Array.isArray(value) ? Number(key) : key], isPod);
  }
}

function valueAt(value: unknown, place: Place): unknown {
  return place.reduce<unknown>((at, key) => (at as { [key: string]: unknown })[key], value);
}

function withValue(object: unknown, place: Place, value: unknown): unknown {
  const copy = structuredClone(object);
  const parent = valueAt(copy, place.slice(0, -1)) as { [key: string]: unknown };
  const key = place.at(-1) ?? "";
  if (value === undefined) delete parent[key];
  else parent[key] = value;
  return copy;
}

/** Invalid values for a value of this type. */
function strangersOf(value: unknown): readonly unknown[] {
  if (typeof value === "string") return ["", "A_b c", "x".repeat(260), 5, undefined];
  if (typeof value === "number") return [-1, 0, 2_147_483_648, 1.5, "x", undefined];
  if (typeof value === "boolean") return ["x", null];
  if (Array.isArray(value)) return [[], {}, [...(value as unknown[]), ...(value as unknown[])], [null], undefined];
  return [{}, [], { nope: 1 }, undefined];
}

const said = { only: ["message"] };

function mutantsOf({ object, kind }: Sample): { readonly place: Place; readonly mutant: unknown }[] {
  const { apiVersion: _a, kind: _k, metadata: _m, ...parts } = object;
  return [...placesIn(parts, [], kind === "Pod")].flatMap((place) =>
    strangersOf(valueAt(object, place)).map((value) => ({ place, mutant: withValue(object, place, value) })),
  );
}

const made = defineTopic(
  "tour-made-wrongly",
  ofEvery((sample): readonly Step[] =>
    mutantsOf(sample).map(({ mutant }) => post(`${sample.path}?dryRun=All`, mutant, said)),
  ),
);

const changed = defineTopic(
  "tour-changed-wrongly",
  ofEvery((sample): readonly Step[] => [
    sample.make,
    ...mutantsOf(sample).map(({ mutant }) => put(`${sample.at}?dryRun=All`, mutant, said)),
    ...sample.clean,
  ]),
);

export const mutantTours: readonly Topic[] = [made, changed];
