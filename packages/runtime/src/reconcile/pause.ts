/** Lets people take an object out of the operator's hands for a while. */
import type { StoredObject } from "@capstan/model";
import { touched } from "../apply/conditions.ts";
import type { Draft } from "../apply/status.ts";

/** On an object: `"true"` pauses every controller, a list of names (`a,b`) only those. */
export const PAUSE_ANNOTATION = "capstan.dev/pause";

/** Whether a controller must leave an object alone. */
export function isPaused(object: StoredObject, controller: string): boolean {
  const value = object.metadata.annotations?.[PAUSE_ANNOTATION];
  if (value === undefined || value === "" || value === "false") return false;
  return value === "true" || value.split(",").some((name) => name.trim() === controller);
}

/** The condition that tells a pause, beside those that the kind declares. */
export const PAUSED_CONDITION = "Paused";

/** Says in the status that an object is paused. What is said follows from the annotation alone, so that controllers agree on it. */
export function notePause(status: Draft, object: StoredObject): void {
  const value = object.metadata.annotations?.[PAUSE_ANNOTATION] ?? "";
  const who = value === "true" ? "Every controller" : `Of the controllers, ${value}`;
  const message = `${who} leaves this object alone until the annotation ${PAUSE_ANNOTATION} is taken away`;
  status.condition(PAUSED_CONDITION, true, { reason: "Annotation", message });
}

/** Takes the condition away when nobody is asked to pause any more. */
export function noteResume(status: Draft, object: StoredObject): void {
  const value = object.metadata.annotations?.[PAUSE_ANNOTATION] ?? "false";
  const isPausedFor = value !== "" && value !== "false";
  if (isPausedFor || status.conditions?.some(({ type }) => type === PAUSED_CONDITION) !== true) return;
  touched.get(status)?.add(PAUSED_CONDITION);
  status.conditions = status.conditions.filter(({ type }) => type !== PAUSED_CONDITION);
}

/** Tells whoever looks at a paused object why nothing happens to it. */
export function pausedNote(controller: string): { type: "Normal"; reason: string; note: string } {
  const note = `${controller} leaves this object alone until the annotation ${PAUSE_ANNOTATION} is taken away`;
  return { type: "Normal", reason: "Paused", note };
}
