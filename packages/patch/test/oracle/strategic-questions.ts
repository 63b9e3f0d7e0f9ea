/** Questions about strategic merge patches of built-in kinds. */
import type { Question } from "./questions.ts";

/** Questions about strategic merge, made from random objects and patches. */
export function strategicQuestionsFrom(_seed: number, _count: number): Question[] {
  return [];
}
