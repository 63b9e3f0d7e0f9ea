/** Known differences, each verified: without the value that explains it, the responses must be equal. */
import type { Json } from "@capstan/model";
import { differenceOf, type Ask, type Question } from "./ask.ts";
import type { Fields } from "./values.ts";

/** The reason of a difference, if it is known. */
export async function explain(question: Question, ours: Ask, real: Ask): Promise<string | undefined> {
  for (const [reason, simplify] of reasons) {
    const simpler = simplify(question);
    if (simpler === undefined) continue;
    const [a, b] = await Promise.all([ours(simpler), real(simpler)]);
    if (differenceOf(simpler, a, b) === undefined) return reason;
  }
  return undefined;
}

type Simplify = (question: Question) => Question | undefined;

const reasons: readonly (readonly [reason: string, simplify: Simplify])[] = [
  ["a copied object is shown with its fields in another order", withoutCopies],
  ["a number beyond all numbers is refused later", withoutInfinity],
  ["a quantity beyond the last letter is checked as the number that it is written as", withoutGiants],
  ["an empty list of a version of a definition is shown as none", withoutEmptyLists],
  ["a definition with patterns for names makes the real server panic", withoutPatterns],
];

function withoutCopies(question: Question): Question | undefined {
  return changed(question, (value) => (isFields(value) && value["op"] === "copy" ? undefined : value));
}

/** kube-apiserver stores 10^21 but writes 1, because there is no suffix for it. */
function withoutGiants(question: Question): Question | undefined {
  return changed(question, (value) =>
    typeof value === "string" && /^[0-9]{20,}$|^[0-9.]+[eE][0-9]{2,}$/.test(value) ? "1" : value,
  );
}

function withoutEmptyLists(question: Question): Question | undefined {
  if (!question.path.includes("/customresourcedefinitions")) return undefined;
  return changed(question, (value) => (Array.isArray(value) && value.length === 0 ? undefined : value));
}

function withoutPatterns(question: Question): Question | undefined {
  return changed(question, (value) => {
    if (!isFields(value) || value["patternProperties"] === undefined) return value;
    const { patternProperties: _, ...rest } = value;
    return rest;
  });
}

function withoutInfinity(question: Question): Question | undefined {
  const { body = "" } = question;
  return body.includes("1e400") ? { ...question, body: body.replaceAll("1e400", "1") } : undefined;
}

/** The request with some values of its body removed, bottom up; `undefined` if nothing changes. */
function changed(question: Question, change: (value: Json) => Json | undefined): Question | undefined {
  const { body = "" } = question;
  try {
    const walk = (value: Json): Json | undefined => change(below(value, walk));
    const text = JSON.stringify(walk(JSON.parse(body) as Json) ?? {});
    return text === JSON.stringify(JSON.parse(body)) ? undefined : { ...question, body: text };
  } catch {
    return undefined;
  }
}

function below(value: Json, walk: (value: Json) => Json | undefined): Json {
  if (Array.isArray(value)) return value.flatMap((item: Json) => walk(item) ?? []);
  if (!isFields(value)) return value;
  const entries = Object.entries(value).flatMap(([key, part]) => {
    const kept = walk(part);
    return kept === undefined ? [] : [[key, kept] as const];
  });
  return Object.fromEntries(entries);
}

function isFields(value: Json | undefined): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
