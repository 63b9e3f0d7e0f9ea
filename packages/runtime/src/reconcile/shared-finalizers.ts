/**
 * Finalizers that are not surely ours: of versions that did not name the operator in them, which others may have set as well, and of
 * controllers that the operator does not have any more. Only what was set by one of our own is ours to act on and to take away.
 */
import type { StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import type { Sibling } from "../apply/siblings.ts";
import type { Writer } from "../apply/writer.ts";
import type { Log } from "../log.ts";
import type { SharedFinalizers } from "../manager/identity.ts";
import { hasFinalizer } from "./finalizer.ts";

/** Who asks. */
export interface Asker {
  readonly kind: AnyKind;
  readonly owns: readonly AnyKind[];
  readonly handlers: { readonly cleanup: unknown };
  readonly sharedFinalizers: SharedFinalizers;
  readonly siblings: readonly Sibling[];
  readonly log: Log;
}

/** Those that an object carries and that are ours. */
export interface Ours {
  readonly cleanup: readonly string[];
  readonly children: readonly string[];
}

/** Finds out which are ours. The server is asked only for an object that carries some: caches keep little of managed fields. */
export async function findOurs(asker: Asker, { writer, object }: Held): Promise<Ours> {
  const { sharedFinalizers: shared, handlers, kind, owns, siblings, log } = asker;
  const carried = [...shared.cleanup, shared.children].filter((name) => hasFinalizer(object, name));
  const whole = carried.length === 0 ? undefined : await writer.ask(kind, keyText(object));
  if (whole === undefined) return { cleanup: [], children: [] };
  const isOurs = (manager: string): boolean => writer.isOurs(manager);
  // One was set for all controllers together.
  const isOfAll = (manager: string): boolean =>
    isOurs(manager) || siblings.some(({ managers }) => managers.includes(manager));
  const cleanup = { isOurs, maySet: handlers.cleanup !== undefined };
  const children = { isOurs: isOfAll, maySet: owns.length > 0 };
  const ours = {
    cleanup: shared.cleanup.filter((name) => isOurFinalizer(whole, name, cleanup)),
    children: [shared.children].filter((name) => isOurFinalizer(whole, name, children)),
  };
  const others = carried.filter((name) => !ours.cleanup.includes(name) && !ours.children.includes(name));
  if (others.length > 0) log.info(`leaves ${others.join(", ")} to whoever set it`, { object: keyText(object) });
  return ours;
}

/** An object, and how to ask for it. */
interface Held {
  readonly writer: Writer;
  readonly object: StoredObject;
}

/** What tells whose a finalizer is. */
interface Claimant {
  readonly isOurs: (manager: string) => boolean;
  /** Whether it can be ours at all, where the server does not tell who set it. */
  readonly maySet: boolean;
}

function isOurFinalizer(object: StoredObject, finalizer: string, { isOurs, maySet }: Claimant): boolean {
  if (!hasFinalizer(object, finalizer)) return false;
  const setter = setterOf(object, finalizer);
  return setter === undefined ? maySet : isOurs(setter);
}

/** Who set a finalizer, as far as the server tells. */
function setterOf({ metadata }: StoredObject, finalizer: string): string | undefined {
  const item = `v:${JSON.stringify(finalizer)}`;
  return metadata.managedFields?.find(({ fieldsV1 }) => {
    const fields = fieldsV1 as { readonly "f:metadata"?: { readonly "f:finalizers"?: object } } | undefined;
    return item in (fields?.["f:metadata"]?.["f:finalizers"] ?? {});
  })?.manager;
}

/** What a controller set that the operator does not have any more is nobody's to take away: without a word it would hold for ever. */
export function tellHolders({ sharedFinalizers, siblings, log, kind }: Asker, { metadata }: StoredObject): void {
  const { prefix } = sharedFinalizers;
  const known = new Set(siblings.flatMap(({ finalizers }) => finalizers));
  const held = metadata.finalizers?.filter((name) => name.startsWith(prefix) && !known.has(name)) ?? [];
  const [first] = held;
  if (first === undefined) return;
  const what = `${kind.kind} ${metadata.name} cannot go: it is held by ${held.join(", ")}`;
  const cure = `if one has another name now, say \`previousNames: ["${first.slice(prefix.length)}"]\` there`;
  log.warn(`${what}, of a controller that this operator does not have; ${cure}, else remove the finalizer`);
}
