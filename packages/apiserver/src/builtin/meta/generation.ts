/** The generation of an object: one at its creation, one more with each change of what was asked for. */
import { isDeepEqual, type KubeObject } from "@capstan/model";
import type { AnyDraft } from "../draft.ts";
import { isSameField } from "../given-empty.ts";

/** A new object is in its first generation. */
export function startGeneration({ metadata }: AnyDraft): void {
  metadata.generation = 1;
}

/** Counts up when one of the fields differs; the usual one is `spec`. */
export function bumpGeneration(draft: AnyDraft, old: KubeObject, fields: readonly string[] = ["spec"]): void {
  const now = draft as unknown as Record<string, unknown>;
  const before = old as unknown as Record<string, unknown>;
  if (fields.every((field) => isDeepEqual(now[field], before[field]))) return;
  countUp(draft, old);
}

/** The same for kinds that also count an empty list or map where there was none, each time that it is sent. */
export function bumpGenerationExactly(draft: AnyDraft, old: KubeObject, field: string): void {
  const now = draft as unknown as Record<string, unknown>;
  if (!isSameField(now, old as unknown as Record<string, unknown>, field)) countUp(draft, old);
}

function countUp({ metadata }: AnyDraft, old: KubeObject): void {
  metadata.generation = (old.metadata.generation ?? 0) + 1;
}
