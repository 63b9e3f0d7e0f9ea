/** Random patches of the base object: all four types, on the object and its subresources, valid and malformed. */
import fc, { type Arbitrary } from "fast-check";
import type { Json } from "@capstan/model";
import type { Question } from "./ask.ts";
import { alone, mutated, toPointer, type Mutation } from "./mutants.ts";
import { mutantsOf, rootsOf, trials, type Subject } from "./subject.ts";
import { toBody, type Fields } from "./values.ts";

type Form = "json" | "merge" | "strategic" | "apply";

const types: Readonly<Record<Form, string>> = {
  json: "application/json-patch+json",
  merge: "application/merge-patch+json",
  strategic: "application/strategic-merge-patch+json",
  apply: "application/apply-patch+yaml",
};

const forms = fc.constantFrom<Form>("json", "merge", "strategic", "apply", "apply");

export function patchesOf(subject: Subject): Arbitrary<Question> {
  const subresources = fc.constantFrom("", "", "", ...subject.subresources);
  return fc.tuple(forms, subresources, trials).chain(([form, subresource, trial]) =>
    fc.tuple(bodiesOf(subject, form, subresource), applications(form)).map(([body, more]) => ({
      method: "PATCH",
      path: `${subject.at}${subresource === "" ? "" : `/${subresource}`}${trial}${more}`,
      type: types[form],
      accept: "application/json",
      body,
    })),
  );
}

/** Whether apply forces conflicts. */
function applications(form: Form): Arbitrary<string> {
  return form === "apply"
    ? fc.constantFrom("", "&force=true", "&force=false")
    : fc.constantFrom("", "", "", "&force=true");
}

function bodiesOf(subject: Subject, form: Form, subresource: string): Arbitrary<string> {
  const mutations = subresource === "scale" ? scaleMutations : mutantsOf(subject, rootsOf(subject, subresource));
  return fc.oneof(
    { weight: 12, arbitrary: soundBodies(subject, form, mutations) },
    { weight: 1, arbitrary: oddBodies },
  );
}

const scaleMutations: Arbitrary<Mutation[]> = fc
  .constantFrom<Json>(0, 1, -1, 2 ** 31, "1", null, 1.5, {})
  .map((value) => [{ place: ["spec", "replicas"], value }]);

function soundBodies(subject: Subject, form: Form, mutations: Arbitrary<Mutation[]>): Arbitrary<string> {
  const { sound } = subject;
  switch (form) {
    case "json":
      return mutations.chain(operations).map(toBody);
    case "merge":
      return mutations.map((list) => toBody(joined(sound, list)));
    case "strategic":
      return fc.tuple(mutations, fc.option(directives, { nil: undefined })).map(([list, directive]) => {
        const patch = joined(sound, list);
        return toBody(directive === undefined ? patch : directed(patch, directive));
      });
    case "apply":
      return mutations.map((list) => toBody(configuration(subject, list)));
  }
}

/** All mutations in one patch; the last one wins. */
function joined(sound: Fields, mutations: readonly Mutation[]): Json {
  return mutations.map((mutation) => alone(sound, mutation)).reduce((one, other) => merged(one, other));
}

function merged(one: Json, other: Json): Json {
  if (!isFields(one) || !isFields(other)) return other;
  const result: Record<string, Json> = { ...one };
  for (const [key, value] of Object.entries(other)) result[key] = key in one ? merged(one[key] ?? null, value) : value;
  return result;
}

function isFields(value: Json): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function configuration({ apiVersion, kind, name, sound }: Subject, mutations: readonly Mutation[]): Json {
  const whole =
    mutations.length === 3
      ? mutations.reduce<Json>((value, one) => mutated(value, one) ?? {}, sound)
      : joined(sound, mutations);
  return merged({ apiVersion, kind, metadata: { name } }, whole);
}

const directives = fc.constantFrom<Fields>(
  { $patch: "replace" },
  { $patch: "delete" },
  { $patch: "merge" },
  { $patch: "x" },
  { $patch: 1 },
  { $retainKeys: ["a"] },
  { $retainKeys: "a" },
  { "$setElementOrder/containers": [{ name: "c" }] },
  { "$setElementOrder/finalizers": ["a"] },
  { "$deleteFromPrimitiveList/finalizers": ["a"] },
  { "$deleteFromPrimitiveList/finalizers": 1 },
);

/** The directive is added to the deepest object of the patch that has only one field. */
function directed(patch: Json, directive: Fields): Json {
  if (!isFields(patch)) return patch;
  const [only, ...others] = Object.keys(patch);
  const below = only === undefined ? undefined : patch[only];
  if (only === undefined || others.length > 0 || below === undefined || !isFields(below))
    return { ...patch, ...directive };
  return { [only]: directed(below, directive) };
}

function operations(mutations: readonly Mutation[]): Arbitrary<Json> {
  const names = fc.constantFrom("add", "replace", "replace", "remove", "test", "move", "copy", "Add", "nope");
  const list = mutations.map(({ place, value = null }) =>
    fc.tuple(names, fc.constantFrom("", "", "", "/-", "/x", "/99", "/-1", "~")).map(([op, end]) => {
      const path = toPointer(place) + end;
      return op === "move" || op === "copy" ? { op, from: path, path: "/metadata/labels" } : { op, path, value };
    }),
  );
  return fc.tuple(...list) as Arbitrary<Json>;
}

/** Malformed patches. */
const oddBodies = fc.constantFrom(
  "",
  " ",
  "null",
  "[]",
  "{}",
  "1",
  '"a"',
  "true",
  "{",
  "[",
  "x",
  "a: b",
  "- a",
  "a: [",
  "{}x",
  '{"a":1,"a":2}',
  '{"metadata":null}',

  "[1]",
  "[null]",
  "[{}]",
  "[[]]",
  '[{"op":"add"}]',
  '[{"op":"add","path":"/a"}]',
  '[{"op":"add","path":"a","value":1}]',

  '[{"op":"remove","path":"/nope"}]',
  '[{"op":"remove","path":""}]',
  '[{"op":"replace","path":"","value":{}}]',
  '[{"op":"test","path":"/kind","value":"x"}]',

  '[{"op":"add","path":"/a","value":1,"nope":2}]',
  '[{"op":1}]',
  '[{"op":"copy","path":"/a"}]',
  '[{"op":"move","from":"/nope","path":"/a"}]',

  '{"metadata":{"name":"other"}}',
  '{"kind":"Other"}',
  '{"apiVersion":"v9"}',
  '{"metadata":{"managedFields":[]}}',
  '{"metadata":{"managedFields":[{}]}}',

  '{"metadata":{"resourceVersion":"1"}}',
  '{"metadata":{"resourceVersion":"x"}}',
  '{"metadata":{"uid":"x"}}',
  '{"nope":1}',
  '{"spec":null}',
  '{"metadata":[]}',
  '{"spec":[]}',
);
