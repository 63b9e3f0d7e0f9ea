/** A sound object of every kind with one value changed at a time, each place in it, to what does not belong there. */
import { defineTopic, post, put, type Step, type Topic } from "../../case.ts";
import { ofEvery, type Sample } from "./sample.ts";

type Place = readonly (string | number)[];

/** Templates of pods are the same everywhere: they are looked into where pods themselves are tried. */
const sameEverywhere = new Set(["containers", "volumes", "tolerations"]);

/** Every place in a value, lists and objects before what is in them. */
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

/** What does not belong where a value of this type is. */
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
