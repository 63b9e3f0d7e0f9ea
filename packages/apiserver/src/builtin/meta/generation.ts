/** metadata.generation: 1 on create, incremented with each change of the desired state. */
import { isDeepEqual, type KubeObject } from "@capstan/model";
import type { AnyDraft } from "../draft.ts";
import { isSameField } from "../given-empty.ts";

export function startGeneration({ metadata }: AnyDraft): void {
  metadata.generation = 1;
}

/** Increments the generation if one of the fields differs, usually `spec`. */
export function bumpGeneration(draft: AnyDraft, old: KubeObject, fields: readonly string[] = ["spec"]): void {
  const now = draft as unknown as Record<string, unknown>;
  const before = old as unknown as Record<string, unknown>;
  if (fields.every((field) => isDeepEqual(now[field], before[field]))) return;
  countUp(draft, old);
}

/** The same for kinds that also count a field that was sent empty as a change. */
export function bumpGenerationExactly(draft: AnyDraft, old: KubeObject, field: string): void {
  const now = draft as unknown as Record<string, unknown>;
  if (!isSameField(now, old as unknown as Record<string, unknown>, field)) countUp(draft, old);
}

function countUp({ metadata }: AnyDraft, old: KubeObject): void {
  metadata.generation = (old.metadata.generation ?? 0) + 1;
}
