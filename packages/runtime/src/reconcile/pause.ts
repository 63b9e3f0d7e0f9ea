/** Lets people take an object out of the operator's hands for a while. */
import type { StoredObject } from "@capstan/model";

/** On an object: `"true"` pauses every controller, a list of names (`a,b`) only those. */
export const PAUSE_ANNOTATION = "capstan.dev/pause";

/** Whether a controller must leave an object alone. */
export function isPaused(object: StoredObject, controller: string): boolean {
  const value = object.metadata.annotations?.[PAUSE_ANNOTATION];
  if (value === undefined || value === "" || value === "false") return false;
  return value === "true" || value.split(",").some((name) => name.trim() === controller);
}

/** Tells whoever looks at a paused object why nothing happens to it. */
export function pausedNote(controller: string): { type: "Normal"; reason: string; note: string } {
  const note = `${controller} leaves this object alone until the annotation ${PAUSE_ANNOTATION} is taken away`;
  return { type: "Normal", reason: "Paused", note };
}
