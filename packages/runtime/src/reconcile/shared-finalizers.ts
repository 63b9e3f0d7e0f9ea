/**
 * Finalizers that may not be ours: of versions in which they did not contain the operator name, so that other operators may have set them
 * as well, and of controllers that the operator no longer has. Only those that our own managers set are ours to handle and remove.
 */
import type { StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { Writer } from "../apply/writer.ts";
import type { ReconcileEnvironment } from "./environment.ts";
import { hasFinalizer } from "./finalizer.ts";

/** The finalizers of an object that are ours. */
export interface Ours {
  readonly cleanup: readonly string[];
  readonly children: readonly string[];
}

/** Finds the finalizers that are ours. Sends a GET only for an object that has some: caches keep few managed fields. */
export async function findOurs(environment: ReconcileEnvironment, { writer, object }: Finalized): Promise<Ours> {
  const { sharedFinalizers: shared, definition, siblings, log } = environment;
  const { handlers, kind, owns } = definition;
  const carried = [...shared.cleanup, shared.children].filter((name) => hasFinalizer(object, name));
  const whole = carried.length === 0 ? undefined : await writer.ask(kind, keyText(object));
  if (whole === undefined) return { cleanup: [], children: [] };
  const isOurs = (manager: string): boolean => writer.isOurs(manager);
  // One finalizer was shared by all controllers.
  const isOfAll = (manager: string): boolean =>
    isOurs(manager) || siblings.some(({ managers }) => managers.includes(manager));
  const cleanup = { isOurs, maySet: handlers.cleanup !== undefined };
  const children = { isOurs: isOfAll, maySet: owns.length > 0 };
  const ours = {
    cleanup: shared.cleanup.filter((name) => isOurFinalizer(whole, name, cleanup)),
    children: [shared.children].filter((name) => isOurFinalizer(whole, name, children)),
  };
  const others = carried.filter((name) => !ours.cleanup.includes(name) && !ours.children.includes(name));
  if (others.length > 0) log.info(`leaves ${others.join(", ")} to their owners`, { object: keyText(object) });
  return ours;
}

/** An object, and a writer to read it with. */
interface Finalized {
  readonly writer: Writer;
  readonly object: StoredObject;
}

/** Decides whether a finalizer is ours. */
interface Claimant {
  readonly isOurs: (manager: string) => boolean;
  /** Whether it can be ours if the server does not report its manager. */
  readonly maySet: boolean;
}

function isOurFinalizer(object: StoredObject, finalizer: string, { isOurs, maySet }: Claimant): boolean {
  if (!hasFinalizer(object, finalizer)) return false;
  const setter = setterOf(object, finalizer);
  return setter === undefined ? maySet : isOurs(setter);
}

/** The manager that set a finalizer, as far as the server reports it. */
function setterOf({ metadata }: StoredObject, finalizer: string): string | undefined {
  const item = `v:${JSON.stringify(finalizer)}`;
  return metadata.managedFields?.find(({ fieldsV1 }) => {
    const fields = fieldsV1 as { readonly "f:metadata"?: { readonly "f:finalizers"?: object } } | undefined;
    return item in (fields?.["f:metadata"]?.["f:finalizers"] ?? {});
  })?.manager;
}

/**
 * Logs a finalizer of a controller that the operator no longer has: it is not removed automatically and would block the deletion
 * silently.
 */
export function reportHolders(
  { sharedFinalizers, siblings, log, definition }: ReconcileEnvironment,
  { metadata }: StoredObject,
): void {
  const { prefix } = sharedFinalizers;
  const known = new Set(siblings.flatMap(({ finalizers }) => finalizers));
  const held = metadata.finalizers?.filter((name) => name.startsWith(prefix) && !known.has(name)) ?? [];
  const [first] = held;
  if (first === undefined) return;
  const what = `${definition.kind.kind} ${metadata.name} cannot go: it is held by ${held.join(", ")}`;
  const cure = `if one has another name now, say \`previousNames: ["${first.slice(prefix.length)}"]\` there`;
  log.warn(`${what}, of a controller that this operator does not have; ${cure}, else remove the finalizer`);
}
