/**
 * Compares the ends of several runs of one scenario. Two undisturbed runs with different seeds show the values that are random; these
 * values are compared by their type only, and so are times of the run. Everything else must be equal.
 */
import { keyText } from "../api.ts";
import type { StoredObject } from "@capstan/model";
import { RuntimeError } from "../errors.ts";
import { plainJson } from "../report/plain-json.ts";
import { plainTexts, withoutTimes } from "./plain-texts.ts";
import type { Span } from "./plain-texts.ts";
import { placeless } from "./placeless.ts";

/** An object and its kind. */
export interface Pictured {
  readonly kind: string;
  readonly object: StoredObject;
}

/** The end of a run. */
export interface Picture {
  readonly returned: unknown;
  readonly objects: readonly Pictured[];
  /** The wall-clock times between which the run took place. */
  readonly span: Span;
}

/** The comparable part of a picture. */
export interface Shape {
  /** Objects with the same name in both undisturbed runs. */
  readonly named: ReadonlySet<string>;
  /** Groups of objects whose names differ from run to run. */
  readonly groups: ReadonlySet<string>;
  /** Places with random values: only their type is compared, or nothing if even that differs. */
  readonly random: ReadonlyMap<string, "type" | "nothing">;
}

/** A difference between two ends. */
export interface EndDifference {
  readonly place: string;
  readonly expected: unknown;
  readonly found: unknown;
}

/** Compares two undisturbed runs. Throws if they differ in more than values. */
export function shapeOf(one: Picture, other: Picture): Shape {
  const named = idsOf(one).intersection(idsOf(other));
  const unnamed = [one, other].flatMap(({ objects, span }) => objects.filter((each) => !named.has(idOf(each, span))));
  const random = new Map<string, "type" | "nothing">();
  const shape = { named, groups: new Set(unnamed.map(groupIdOf)), random };
  const [first, second] = [groupsOf(one, shape), groupsOf(other, shape)];
  for (const id of new Set([...first.keys(), ...second.keys()])) {
    const [a = [], b = []] = [first.get(id), second.get(id)];
    if (a.length !== b.length) throw unsteady(id, a.length, b.length);
    for (const [at, value] of a.entries())
      for (const { place, expected, found } of compare(id, value, b[at]))
        random.set(place, typeOf(expected) === typeOf(found) ? "type" : "nothing");
  }
  return shape;
}

/** The differences of the end of a run from that of an undisturbed one. */
export function differencesOf(shape: Shape, undisturbed: Picture, end: Picture): readonly EndDifference[] {
  const [wanted, found] = [groupsOf(undisturbed, shape), groupsOf(end, shape)];
  const differences: EndDifference[] = [];
  for (const id of new Set([...wanted.keys(), ...found.keys()])) {
    const [a = [], b = []] = [wanted.get(id), found.get(id)];
    if (a.length === b.length) differences.push(...a.flatMap((value, at) => [...compare(id, value, b[at])]));
    else differences.push({ place: id, expected: countOf(id, undisturbed), found: countOf(id, end) });
  }
  return differences;
}

/**
 * The random values that differ between two ends of the same run. A restart at rest has no reason to change them: a new one is a lost
 * one. The status is left out: a real cluster continues to write it.
 */
export function changesOf(shape: Shape, before: Picture, after: Picture): readonly EndDifference[] {
  const differences = differencesOf({ ...shape, random: new Map() }, before, after);
  return differences.filter(({ place }) => shape.random.has(place) && !place.includes(".status"));
}

/** The number of differences that are shown. */
const SHOWN = 5;

/** Differences as lines that follow a sentence; empty if there are none. */
export function formatDifferences(differences: readonly EndDifference[]): string {
  if (differences.length === 0) return "";
  const lines = differences.slice(0, SHOWN).map(({ place, expected, found }) => {
    return `\n  ${place}: ${textOf(found)} instead of ${textOf(expected)}`;
  });
  const left = differences.length - lines.length;
  return `\nThe ends differ:${lines.join("")}${left > 0 ? `\n  and ${left} more` : ""}`;
}

function textOf(value: unknown): string {
  return value === undefined ? "nothing" : plainJson(value);
}

function unsteady(id: string, one: number, other: number): RuntimeError {
  return new RuntimeError(
    "StillFailing",
    `The scenario ends differently without any crash: one run has ${one} of ${id}, the next ${other}. ` +
      "Crashes cannot be judged before that is fixed: look for a race, for random decisions, or for state outside of the world.",
  );
}

/** The values of a picture by object; objects without a lasting name are a group of their kind. */
function groupsOf({ objects, returned, span }: Picture, shape: Shape): ReadonlyMap<string, readonly unknown[]> {
  const ids = new Map(objects.map((each) => [each, idIn(shape, each, span)]));
  const others = objects.filter((each) => ids.get(each) === groupIdOf(each));
  const uids = objects.map(({ object }) => object.metadata.uid);
  const plain = plainTexts({ span, uids, names: others.map(({ object }) => object.metadata.name) });
  const groups = new Map<string, unknown[]>([["the returned value", [plain(placeless(toJson(returned), ""))]]]);
  for (const each of objects) {
    const id = idIn(shape, each, span);
    groups.set(id, [...(groups.get(id) ?? []), plain(placeless(toJson(each.object), each.kind))]);
  }
  return new Map([...groups].map(([id, values]) => [id, inOrder(values.map((value) => masked(id, value, shape)))]));
}

/** Objects of one group have no names: their contents put them in order. */
function inOrder(values: readonly unknown[]): readonly unknown[] {
  return values.length < 2 ? values : values.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

/** Names may contain the time of their creation. */
function idOf({ kind, object }: Pictured, span: Span): string {
  return withoutTimes(`${kind} ${keyText(object)}`, span);
}

/** The ids of objects whose names the server has not generated. */
function idsOf({ objects, span }: Picture): Set<string> {
  const named = objects.filter(({ object }) => object.metadata.generateName === undefined);
  return new Set(named.map((each) => idOf(each, span)));
}

/** An object that an undisturbed run does not have is no member of a group only because its name is unknown. */
function idIn({ named, groups }: Shape, each: Pictured, span: Span): string {
  const id = idOf(each, span);
  const group = groupIdOf(each);
  return !named.has(id) && (groups.has(group) || each.object.metadata.generateName !== undefined) ? group : id;
}

function groupIdOf({ kind, object: { metadata } }: Pictured): string {
  const { namespace, generateName = "" } = metadata;
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${generateName}*`;
}

function masked(place: string, value: unknown, shape: Shape): unknown {
  const mask = shape.random.get(place);
  if (mask !== undefined) return mask === "type" ? `<any ${typeOf(value)}>` : undefined;
  if (Array.isArray(value)) return value.map((item, at) => masked(`${place}[${at}]`, item, shape));
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, masked(`${place}.${name}`, item, shape)]),
  );
}

/** The innermost places at which two values differ. */
function* compare(place: string, expected: unknown, found: unknown): Generator<EndDifference> {
  if (Array.isArray(expected) && Array.isArray(found) && expected.length === found.length) {
    for (const [at, item] of expected.entries()) yield* compare(`${place}[${at}]`, item, found[at]);
  } else if (isTree(expected) && isTree(found)) {
    for (const name of new Set([...Object.keys(expected), ...Object.keys(found)]))
      yield* compare(`${place}.${name}`, expected[name], found[name]);
  } else if (JSON.stringify(expected) !== JSON.stringify(found)) yield { place, expected, found };
}

interface Tree {
  readonly [name: string]: unknown;
}

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typeOf(value: unknown): string {
  if (value === undefined || value === null) return "nothing";
  return Array.isArray(value) ? "list" : typeof value;
}

/** Values that JSON does not have, such as a Map that a story returns, stay distinguishable. */
function toJson(value: unknown): unknown {
  const text = JSON.stringify(value, (_name, inner: unknown) => {
    if (inner instanceof Map || inner instanceof Set) return [...inner];
    return typeof inner === "bigint" || (typeof inner === "number" && !Number.isFinite(inner)) ? String(inner) : inner;
  });
  return text === undefined ? undefined : (JSON.parse(text) as unknown);
}

/** The objects of a group, by name: one of them is too many, or missing. */
function countOf(id: string, { objects, span }: Picture): string {
  const names = objects
    .filter((each) => idOf(each, span) === id || groupIdOf(each) === id)
    .map(({ object }) => keyText(object));
  return names.length === 0 ? "no object" : `${names.length} (${names.join(", ")})`;
}
