/** Asks two servers the same random questions and reports each difference with what reproduces it. */
import fc, { type Arbitrary } from "fast-check";
import type { Json } from "@capstan/model";
import { objectsOf } from "./arbitrary.ts";
import { createQuestion, differenceOf, patchQuestion, type Ask, type Question } from "./ask.ts";
import type { FuzzedKind } from "./kinds.ts";

/** What was found. */
export interface Finding {
  readonly question: Question;
  readonly difference: string;
}

/** How much is tried on whom. */
export interface FuzzOptions {
  readonly ours: Ask;
  readonly real: Ask;
  readonly kinds: readonly FuzzedKind[];
  readonly namespace: string;
  /** Whether controllers run on the real server: objects that they write to cannot be patched in the same way on both. */
  readonly hasControllers: boolean;
  /** Questions a kind. */
  readonly runs: number;
  readonly seed: number;
}

const patchTypes = [
  "application/merge-patch+json",
  "application/strategic-merge-patch+json",
  "application/apply-patch+yaml",
] as const;

/** Tries; the same seed asks the same questions. */
export async function* fuzz({ ours, real, kinds, namespace, ...options }: FuzzOptions): AsyncGenerator<Finding> {
  for (const kind of kinds) {
    const path = kind.path.replace("{ns}", namespace);
    const made = createQuestion(path, whole(kind, { metadata: { name: "base" }, ...kind.base }));
    // Its manager sorts before the one of the patches, so that it does not matter in which second either server was.
    const base = { ...made, path: `${path}?fieldManager=base` };
    await Promise.all([ours(base), real(base)]);
    const questions =
      options.hasControllers && kind.isControlled === true ? createsOf(kind, path) : questionsOf(kind, path);
    for (const question of fc.sample(questions, { numRuns: options.runs, seed: options.seed })) {
      const [a, b] = await Promise.all([ours(question), real(question)]);
      const difference = differenceOf(a, b);
      if (difference !== undefined) yield { question, difference };
    }
  }
}

function whole({ apiVersion, kind }: FuzzedKind, object: { readonly [field: string]: Json }): Json {
  return { apiVersion, kind, ...object };
}

function createsOf(kind: FuzzedKind, path: string): Arbitrary<Question> {
  return objectsOf(kind.definition).map((object) => createQuestion(path, whole(kind, object)));
}

function questionsOf(kind: FuzzedKind, path: string): Arbitrary<Question> {
  const creates = createsOf(kind, path);
  const patches = fc.tuple(fc.constantFrom(...patchTypes), objectsOf(kind.definition)).map(([type, object]) => {
    const { metadata: _metadata, ...fields } = object;
    const body = { metadata: { name: "base" }, ...fields };
    return patchQuestion(path, type, type === "application/apply-patch+yaml" ? whole(kind, body) : body);
  });
  return fc.oneof({ weight: 2, arbitrary: creates }, { weight: 1, arbitrary: patches });
}
