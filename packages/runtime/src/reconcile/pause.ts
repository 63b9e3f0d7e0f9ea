/** Pauses an object by an annotation. */
import type { StoredObject } from "@capstan/model";
import { touched } from "../apply/conditions.ts";
import type { Draft } from "../apply/status.ts";
import type { AnyKind } from "../api.ts";
import type { EventNote } from "../report/events.ts";
import { triggerOf } from "../trigger/reconcile-trigger.ts";
import type { EventHandler } from "../trigger/event-handler.ts";

/**
 * On an object: `"true"` (or `yes`, `on`, `1`) pauses every controller, a list of names (`a,b`, or `operator/a` if operators share a
 * kind) only those. An unknown name may be for another operator: it pauses nothing, and is reported if the kind is our own.
 *
 * @example
 * const pause = { metadata: { annotations: { [pauseAnnotation]: "true" } } };
 */
export const pauseAnnotation = "capstan.dev/pause";

/** The kind of namespaces: their annotation pauses everything in them. */
export const Namespace: AnyKind = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  scope: "Cluster",
};

/** Finds the namespace of an object, if `pauseByNamespace` is set. */
export type NamespaceOf = (object: StoredObject) => StoredObject | undefined;

/** A controller that can be paused. */
export interface Pausable {
  readonly operator: string;
  readonly controller: string;
  /** All controllers of the operator. */
  readonly controllers: readonly string[];
}

/** A pause annotation of the object itself or of its namespace, and the controllers that it names. */
interface Pause {
  readonly value: string;
  readonly where: "object" | "namespace";
}

function pauseOf(object: StoredObject, namespaceOf: NamespaceOf, who?: Pausable): Pause | undefined {
  const asked = [
    { value: valueOn(object), where: "object" },
    { value: valueOn(namespaceOf(object)), where: "namespace" },
  ] as const;
  return asked.find(({ value }) => value !== "" && (who === undefined || concerns(value, who)));
}

/** Spellings of all and none, in any case: a user who means a pause must get one. */
const all = new Set(["true", "t", "yes", "y", "on", "1"]);
const none = new Set(["", "false", "f", "no", "n", "off", "0"]);

function valueOn(object: StoredObject | undefined): string {
  const value = (object?.metadata.annotations?.[pauseAnnotation] ?? "").trim();
  const word = value.toLowerCase();
  if (none.has(word)) return "";
  return all.has(word) ? "true" : value;
}

/** Whether a value of the annotation applies to a controller. */
function concerns(value: string, who: Pausable): boolean {
  return value === "true" || namesIn(value, who).includes(who.controller);
}

function namesIn(value: string, { operator }: Pausable): readonly string[] {
  const own = `${operator}/`;
  const names = value.split(",").map((name) => name.trim());
  return names.map((name) => (name.startsWith(own) ? name.slice(own.length) : name));
}

/** Whether a controller must not reconcile an object. */
export function isPaused(object: StoredObject, who: Pausable, namespaceOf: NamespaceOf): boolean {
  return pauseOf(object, namespaceOf, who) !== undefined;
}

/** The condition that reports a pause, in addition to those that the kind declares. */
export const PAUSED_CONDITION = "Paused";

/** Sets the condition on a paused object. Its text depends on the annotations alone, so that all controllers write the same. */
export function notePause(status: Draft, object: StoredObject, namespaceOf: NamespaceOf): void {
  const { value, where } = pauseOf(object, namespaceOf) ?? { value: "true", where: "object" };
  const who = value === "true" ? "Every controller" : `Of the controllers, ${value}`;
  const what = where === "object" ? "this object" : "everything in this namespace";
  const message = `${who} leaves ${what} alone until the annotation ${pauseAnnotation} is taken away`;
  status.condition(PAUSED_CONDITION, true, { reason: "Annotation", message });
}

/** Removes the condition when the annotation is gone. */
export function noteResume(status: Draft, object: StoredObject, namespaceOf: NamespaceOf): void {
  if (pauseOf(object, namespaceOf) !== undefined) return;
  if (status.conditions?.some(({ type }) => type === PAUSED_CONDITION) !== true) return;
  touched.get(status)?.add(PAUSED_CONDITION);
  status.conditions = status.conditions.filter(({ type }) => type !== PAUSED_CONDITION);
}

/** Triggers every object of a namespace when its pause begins or ends. */
export function namespacePauses(keysIn: (namespace: string) => Iterable<string>): EventHandler {
  return (change, enqueue) => {
    const before = change.old === undefined ? "" : valueOn(change.old);
    if (change.type !== "updated" || before === valueOn(change.object)) return;
    const trigger = triggerOf("mapped", Namespace, change);
    for (const key of keysIn(change.object.metadata.name)) enqueue(key, { trigger });
  };
}

/** An event on a paused object that explains why it is not reconciled. */
export function pausedNote(controller: string): { type: "Normal"; reason: string; note: string } {
  const note = `${controller} leaves this object alone until the annotation ${pauseAnnotation} is taken away`;
  return { type: "Normal", reason: "Paused", note };
}

/** An event for a pause annotation that names no known controller or operator. The annotation of a namespace may be for other operators. */
export function misspeltPause(object: StoredObject, who: Pausable): EventNote | undefined {
  const value = valueOn(object);
  if (value === "" || value === "true") return undefined;
  if (namesIn(value, who).some((name) => who.controllers.includes(name) || name.includes("/"))) return undefined;
  const note =
    `${who.controller} goes on with this object: the annotation ${pauseAnnotation} says "${value}", which names no controller of ` +
    `${who.operator} (${who.controllers.join(", ")}). Write "true" for all, or the names of some`;
  return { type: "Warning", reason: "PauseNamesNobody", note };
}
