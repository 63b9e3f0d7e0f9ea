/** The inputs for the oracle. */
import type { Json } from "@capstan/model";
import { mutate, randomFrom, randomJson, randomObject, type Random } from "./random.ts";
import { steps, type Step } from "./things.ts";

/** An input, and the result once it is known. */
export interface Question {
  readonly kind: string;
  readonly document?: Json;
  readonly patch?: Json;
  readonly original?: Json;
  readonly modified?: Json;
  readonly current?: Json;
  readonly type?: string;
  readonly schema?: string;
  readonly steps?: readonly Step[];
}

const paths = [
  "",
  "/a",
  "/b",
  "/a/b",
  "/a/0",
  "/b/1",
  "/b/-",
  "/b/-1",
  "/b/+1",
  "/a/x",
  "/d~1e",
  "/f~0g",
  "/c/a",
  "a",
  "/",
];
const badPaths: readonly Json[] = [3, null, true];

function operation(random: Random): Json {
  const op = random.pick(["add", "remove", "replace", "move", "test", "copy", "add", "replace", "test"]);
  const path: Json = random.chance(0.02) ? random.pick(badPaths) : random.pick(paths);
  const from: Json = random.chance(0.03) ? random.pick(badPaths) : random.pick(paths);
  return {
    op: random.chance(0.02) ? random.pick<Json>(["nope", 1, null]) : op,
    ...(random.chance(0.99) && { path }),
    ...((op === "move" || op === "copy") && random.chance(0.98) && { from }),
    ...(random.chance(0.92) && { value: randomJson(random, 2) }),
  };
}

function jsonPatchQuestion(random: Random): Question {
  const patch = Array.from({ length: 1 + random.below(3) }, () => operation(random));
  return {
    kind: "json-patch",
    document: randomObject(random),
    patch: random.chance(0.02) ? randomJson(random) : patch,
  };
}

function documentQuestions(random: Random): Question[] {
  const original = randomObject(random);
  const [modified, current] = [mutate(random, original), mutate(random, original)];
  const asObject = (value: Json): Json =>
    typeof value === "object" && value !== null && !Array.isArray(value) ? value : {};
  const versions = { original, modified: asObject(modified), current: asObject(current) };
  return [
    { kind: "merge-patch", document: original, patch: random.chance(0.5) ? modified : randomJson(random) },
    { kind: "create-merge-patch", original, modified: versions.modified },
    { kind: "three-way-merge-patch", ...versions },
  ];
}

/** Inputs about whole documents. */
export function documentQuestionsFrom(seed: number, count: number): Question[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => [
    jsonPatchQuestion(random),
    jsonPatchQuestion(random),
    ...documentQuestions(random),
  ]).flat();
}

/** Inputs about ownership, in one version, in two, and without a schema. */
export function managedQuestionsFrom(seed: number, count: number): Question[] {
  const random = randomFrom(seed);
  return Array.from({ length: count }, (_, index): Question => {
    const versions = index % 4 === 3 ? ["v1", "v2"] : ["v1"];
    const schema = index % 5 === 4 ? {} : { schema: "definitions.json" };
    const schemas = index % 5 === 3 ? ["definitions.json", "changed.json"] : [];
    return { kind: "managed-fields", ...schema, steps: steps(random, { versions, schemas }) };
  });
}
