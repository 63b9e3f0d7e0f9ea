/** Random requests for a kind: create, replace, patch, read, list and delete, all as dry runs. */
import fc, { type Arbitrary } from "fast-check";
import type { Json } from "@capstan/model";
import type { Question } from "./ask.ts";
import type { FuzzedKind } from "./kinds.ts";
import { mutated, type Mutation } from "./mutants.ts";
import { patchesOf } from "./patches.ts";
import { readsOf } from "./reads.ts";
import { definition } from "./schema.ts";
import { mutantsOf, rootsOf, trials, type Subject } from "./subject.ts";
import { objectsOf, toBody, valueOf, type Fields } from "./values.ts";

/** All requests for a kind; objects that controllers change may differ between servers and are only created. */
export function questionsOf(subject: Subject, isLeftAlone: boolean): Arbitrary<Question> {
  const creates = fc.oneof(
    { weight: 2, arbitrary: randomCreates(subject) },
    { weight: 3, arbitrary: mutantCreates(subject) },
    { weight: 1, arbitrary: oddBodies(subject) },
  );
  if (isLeftAlone) return creates;
  return fc.oneof(
    { weight: 6, arbitrary: creates },
    { weight: 4, arbitrary: updates(subject) },
    { weight: 8, arbitrary: patchesOf(subject) },
    { weight: 2, arbitrary: readsOf(subject) },
    { weight: 1, arbitrary: deletions(subject) },
  );
}

const json = { type: "application/json", accept: "application/json" };

function whole({ apiVersion, kind }: FuzzedKind, object: Fields): Fields {
  return { apiVersion, kind, ...object };
}

function randomCreates(subject: Subject): Arbitrary<Question> {
  return fc.tuple(objectsOf(subject.schema), trials).map(([object, trial]) => ({
    ...json,
    method: "POST",
    path: `${subject.path}${trial}`,
    body: toBody(whole(subject, object)),
  }));
}

function changed(object: Fields, mutations: readonly Mutation[]): Fields {
  return named(mutations.reduce<Json>((value, mutation) => mutated(value, mutation) ?? {}, object) as Fields);
}

/** Generated names differ between servers. */
function named(object: Fields): Fields {
  const { metadata } = object;
  if (!isFields(metadata) || !("generateName" in metadata) || "name" in metadata) return object;
  return { ...object, metadata: { ...metadata, name: "fresh" } };
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A new object gets another name, unless the kind requires a fixed one. */
function renamed({ sound, name }: Subject): Fields {
  if (name === "base") return { ...sound, metadata: { ...(sound["metadata"] as Fields), name: "fresh" } };
  return name.startsWith("base-") ? { ...sound, metadata: { name: name.replace("base", "fresh") } } : sound;
}

function mutantCreates(subject: Subject): Arbitrary<Question> {
  return fc.tuple(mutantsOf(subject), trials).map(([mutations, trial]) => ({
    ...json,
    method: "POST",
    path: `${subject.path}${trial}`,
    body: toBody(changed(renamed(subject), mutations)),
  }));
}

/** Updates of the object or a subresource, mostly of the fields that the subresource owns. */
function updates(subject: Subject): Arbitrary<Question> {
  const subresources = fc.constantFrom(
    "",
    "",
    ...subject.subresources.filter((subresource) => subresource !== "scale"),
  );
  return fc
    .tuple(subresources, trials, fc.constantFrom("", "", "", "0", "1", "x"))
    .chain(([subresource, trial, version]) =>
      mutantsOf(subject, rootsOf(subject, subresource)).map((mutations) => ({
        ...json,
        method: "PUT",
        path: `${subject.at}${subresource === "" ? "" : `/${subresource}`}${trial}`,
        body: toBody(versioned(changed(subject.sound, mutations), version)),
      })),
    );
}

function versioned(object: Fields, version: string): Fields {
  if (version === "" || typeof object["metadata"] !== "object" || Array.isArray(object["metadata"])) return object;
  return { ...object, metadata: { ...(object["metadata"] as Fields), resourceVersion: version } };
}

/** Malformed objects. */
function oddBodies(subject: Subject): Arbitrary<Question> {
  const sound = toBody(renamed(subject));
  const texts = [
    "",
    " ",
    "null",
    "[]",
    "{}",
    "1",
    '"a"',
    "{",
    "}",
    '{"a":}',
    "{'a':1}",
    '{"kind":1}',
    '{"apiVersion":[]}',
    '{"metadata":[]}',

    sound.slice(0, -1),
    `${sound}x`,
    `${sound}${sound}`,
    sound.replace("{", '{"kind":"Other",'),
    sound.replace('"name":', '"Name":'),

    sound.replace('"metadata":', '"metadata":{"name":"first"},"metadata":'),
    sound.replace("{", '{"nope":1,'),
    sound.replace('"metadata"', '"METADATA"'),

    sound.replace('"name":"', '"name":"\\ud800'),
    sound.replace('"kind":', '"Kind":'),
    sound.replace("v1", "v9"),
    sound.replace('"spec"', '"Spec"'),

    sound.replaceAll(":{", ':{"":null,'),
    sound.replace('"metadata":{', '"metadata":{"labels":null,"annotations":{},"finalizers":[],"ownerReferences":[],'),
  ];
  const types = [
    "application/json",
    "application/json",
    "application/yaml",
    "text/plain",
    "application/json; charset=utf-8",
    "application/cbor",
  ];
  return fc.tuple(fc.constantFrom(...texts), trials, fc.constantFrom(...types)).map(([body, trial, type]) => ({
    ...json,
    type,
    method: "POST",
    path: `${subject.path}${trial}`,
    body,
  }));
}

function deletions({ at }: Subject): Arbitrary<Question> {
  const options = definition("io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions");
  // With a body, the server ignores the query.
  const trial = (value: Json): Json => (isFields(value) ? { ...value, dryRun: ["All"] } : [value]);
  const bodies = fc.option(
    valueOf(options, 3).map((value) => toBody(trial(value))),
    { nil: undefined },
  );
  const queries = [
    "",
    "&gracePeriodSeconds=0",
    "&propagationPolicy=Foreground",
    "&propagationPolicy=Orphan",
    "&propagationPolicy=x",
    "&orphanDependents=true",
    "&gracePeriodSeconds=x",
  ];
  return fc.tuple(bodies, fc.constantFrom(...queries)).map(([body, query]) => ({
    ...json,
    method: "DELETE",
    path: `${at}?dryRun=All${query}`,
    body,
  }));
}
