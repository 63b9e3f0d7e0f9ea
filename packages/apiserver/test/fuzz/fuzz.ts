/** Sends the same random requests to two servers and reports each difference with a reproduction. */
import fc from "fast-check";
import { differenceOf, type Ask, type Question } from "./ask.ts";
import { explain } from "./explained.ts";
import { keptOf } from "./kept.ts";
import type { FuzzedKind } from "./kinds.ts";
import { questionsOf } from "./questions.ts";
import { subjectOf, type Subject } from "./subject.ts";
import { toBody } from "./values.ts";

/** A difference that was found. */
export interface Finding {
  readonly question: Question;
  readonly difference: string;
  /** The reason, if it is known. */
  readonly reason: string | undefined;
}

/** The servers and the number of requests. */
export interface FuzzOptions {
  readonly ours: Ask;
  readonly real: Ask;
  readonly kinds: readonly FuzzedKind[];
  readonly namespace: string;
  /** Whether controllers run on the real server: objects that they change cannot be compared after updates. */
  readonly hasControllers: boolean;
  /** The total number of requests. */
  readonly requests: number;
  readonly seed: number;
}

const inFlight = 8;

/** Runs the comparison; the same seed sends the same requests. */
export async function* fuzz({ ours, real, kinds, namespace, ...options }: FuzzOptions): AsyncGenerator<Finding> {
  const both = async (question: Question): Promise<Finding[]> => {
    const [a, b] = await Promise.all([ours(question), real(question)]);
    const difference = differenceOf(question, a, b);
    if (difference === undefined) return [];
    return [{ question, difference, reason: await explain(question, ours, real) }];
  };
  const subjects = kinds.map((kind) => subjectOf(kind, namespace));
  for (const [index, subject] of subjects.entries()) {
    const isLeftAlone =
      subject.writtenBy === "server" || (options.hasControllers && subject.writtenBy === "controllers");
    const first = [...(isLeftAlone ? [] : preparations(subject)), ...keptOf(subject, isLeftAlone)];
    for (const question of first) yield* await both(question);
    const numRuns = shareOf(options.requests, subjects.length, index);
    const sampled =
      numRuns === 0 ? [] : fc.sample(questionsOf(subject, isLeftAlone), { numRuns, seed: options.seed + index });
    const questions = options.hasControllers ? sampled.filter((question) => !isShared(question, subject)) : sampled;
    for (let at = 0; at < questions.length; at += inFlight) {
      const found = await Promise.all(questions.slice(at, at + inFlight).map(both));
      yield* found.flat();
    }
    if (!isLeftAlone) await both(clearing(subject));
  }
}

/** Every kind gets an equal share; the first ones get the remainder. */
function shareOf(requests: number, kinds: number, index: number): number {
  return Math.floor(requests / kinds) + (index < requests % kinds ? 1 : 0);
}

/** Controllers create ConfigMaps, events and service accounts in every namespace, so lists of these differ. */
function isShared({ method, path }: Question, subject: Subject): boolean {
  const isList = method === "GET" && path.startsWith(`${subject.path}?`);
  return isList && ["ConfigMap", "Event", "ServiceAccount"].includes(subject.kind);
}

const json = { type: "application/json", accept: "application/json" };

/** One manager creates the base object and a second one applies to it, so that patches can conflict with either. */
function preparations({ path, at, apiVersion, kind, name, sound }: Subject): Question[] {
  const labels = {
    apiVersion,
    kind,
    metadata: { name, labels: { app: "a", owned: "yes" }, annotations: { note: "1" } },
  };
  return [
    // Its manager sorts before that of the patches, so the order does not depend on the second of the write.
    { ...json, method: "POST", path: `${path}?fieldManager=base`, body: toBody(sound) },
    {
      ...json,
      method: "PATCH",
      path: `${at}?fieldManager=applier`,
      type: "application/apply-patch+yaml",
      body: toBody(labels),
    },
  ];
}

function clearing({ at }: Subject): Question {
  return { ...json, method: "DELETE", path: `${at}?gracePeriodSeconds=0`, body: undefined };
}
