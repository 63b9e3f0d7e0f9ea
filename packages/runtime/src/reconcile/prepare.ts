/** The beginning of a reconcile: pause, validity, finalizers, and what previous names of the controller left on the object. */
import type { StoredObject } from "@capstan/model";
import { writeStatus } from "../apply/status.ts";
import { RuntimeError } from "../errors.ts";
import { isResource } from "../resource.ts";
import type { ReconcileEnvironment } from "./environment.ts";
import { addFinalizer, replaceFinalizers } from "./finalizer.ts";
import { guarded } from "./outcome.ts";
import type { Outcome } from "./outcome.ts";
import { misspeltPause, Namespace, notePause, pausedNote } from "./pause.ts";
import type { NamespaceOf } from "./pause.ts";
import type { Reconcile } from "./reconcile.ts";

/** Finds the namespace of an object, if a pause of it counts. */
export function namespaceOf({ caches, pauseByNamespace }: ReconcileEnvironment): NamespaceOf {
  return ({ metadata }) => {
    if (!pauseByNamespace || metadata.namespace === undefined) return undefined;
    return caches.of(Namespace).get(metadata.namespace);
  };
}

/** Reports on a paused object that it is paused: with a condition, and with one event. */
export async function reportPause({ environment, object, status, writer }: Reconcile): Promise<Outcome> {
  const { definition, controller, onEvent } = environment;
  const { kind, handlers } = definition;
  onEvent(object, pausedNote(controller));
  return await guarded(async () => {
    if (handlers.hasConditions) {
      notePause(status, object, namespaceOf(environment));
      await writeStatus(writer, { kind, object }, status);
    }
    return { outcome: "done" };
  });
}

/** For a kind that the operator does not define, an unknown name in the annotation is likely meant for another operator. */
export function reportMisspeltPause({ environment, object }: Reconcile): void {
  const { definition, onEvent } = environment;
  const note = isResource(definition.kind) ? misspeltPause(object, environment) : undefined;
  if (note !== undefined) onEvent(object, note);
}

/** Prepares an object for the user's function. */
export async function prepare(reconcile: Reconcile): Promise<void> {
  const { environment, object, writer } = reconcile;
  const { kind, handlers } = environment.definition;
  mustBeValid(environment, object);
  if (object.metadata.deletionTimestamp !== undefined) return;
  await takeOver(reconcile);
  if (handlers.cleanup !== undefined) await addFinalizer(writer, kind, reconcile.object, environment.finalizers[0]);
}

/** Moves finalizers and annotations of previous names to the current ones, so that the previous names can be dropped some day. */
async function takeOver({ environment, object, writer, steps }: Reconcile): Promise<void> {
  const { definition, finalizers, childrenFinalizers } = environment;
  const [current, ...previous] = finalizers;
  const [children, ...previousChildren] = childrenFinalizers;
  if (writer.isDry) return;
  await replaceFinalizers(writer, definition.kind, object, (name) => {
    if (previousChildren.includes(name)) return children;
    if (!previous.includes(name)) return name;
    return definition.handlers.cleanup === undefined ? undefined : current;
  });
  await steps.takeOver();
}

function mustBeValid({ definition }: ReconcileEnvironment, object: StoredObject): void {
  const { handlers, kind } = definition;
  const problem = handlers.problemOf?.(object);
  if (problem === undefined) return;
  const { namespace, name } = object.metadata;
  const what = `${kind.kind} ${namespace === undefined ? name : `${namespace}/${name}`}`;
  throw new RuntimeError("InvalidObject", `Cannot work on ${what}: ${problem}. Correct the object.`, {
    object: what,
  });
}
