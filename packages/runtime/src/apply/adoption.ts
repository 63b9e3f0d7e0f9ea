/** Keeps an operator from taking over objects that it did not create: an existing object counts as ours only if it carries our mark. */
import { apiVersionOf } from "@capstan/model";
import type { OwnerReference, StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { RuntimeError } from "../errors.ts";
import { OWNER_LABEL } from "../cache/owner-label.ts";
import { OWNER_ANNOTATION } from "../trigger/event-handler.ts";
import { noteOf, otherOwnerOf } from "./owner.ts";
import type { Owner, OwnerUid } from "./owner.ts";
import type { Writer } from "./writer.ts";

/** An existing object with the name of a child, and the owner and writer that would apply it. */
export interface ExistingObject {
  readonly kind: AnyKind;
  readonly live: StoredObject;
  readonly owner: Owner;
  /** Finds an object of the owner's kind. */
  readonly uidAt: (key: string) => Promise<OwnerUid>;
  /** The writer, which knows our field managers. */
  readonly writer: Pick<Writer, "isOurs">;
  /** Whether the user allowed adoption. */
  readonly adopt: boolean;
}

/**
 * Throws when an object is not ours and may not become ours. An object with another controller may never be adopted: an object has at
 * most one controller.
 */
export async function mustBeOurs({ kind, live, owner, uidAt, writer, adopt }: ExistingObject): Promise<void> {
  const controller = live.metadata.ownerReferences?.find((reference) => reference.controller === true);
  if (isMarkedFor(live, owner)) return;
  const other =
    controller === undefined ? await otherOwnerOf(live, owner, uidAt) : `${controller.kind} ${controller.name}`;
  if (other === undefined && (isNotedFor(live, owner) || isWrittenBy(live, writer))) return;
  if (adopt && other === undefined) return;
  const object = `${kind.kind} ${keyText(live)}`;
  const advice = `Give the child of ${owner.kind.kind} ${keyText(owner.object)} another name, or remove what is there.`;
  const why =
    other === undefined
      ? `it was not made by this operator. If it is to be taken over, and deleted with its new owner, apply it with \`adopt: true\`. ${advice}`
      : `it belongs to ${other}. ${advice}`;
  throw new RuntimeError("NotOurs", `Did not write ${object}: ${why}`, { object });
}

/** Objects that an earlier version applied under a previous controller name still carry the mark of their owner. */
function isMarkedFor({ metadata }: StoredObject, owner: Owner): boolean {
  return (
    metadata.labels?.[OWNER_LABEL] === owner.object.metadata.uid ||
    metadata.ownerReferences?.some((reference) => isTo(reference, owner)) === true
  );
}

/** After a restored backup the annotation identifies the owner by name, as a reference does. */
function isNotedFor({ metadata }: StoredObject, owner: Owner): boolean {
  return metadata.labels?.[OWNER_LABEL] !== undefined && metadata.annotations?.[OWNER_ANNOTATION] === noteOf(owner);
}

/**
 * An object that we wrote and that has no controller was ours: its references may be lost. An object with another controller belongs to
 * that one, whatever its field managers.
 */
function isWrittenBy({ metadata }: StoredObject, writer: Pick<Writer, "isOurs">): boolean {
  return metadata.managedFields?.some(({ manager }) => writer.isOurs(manager)) === true;
}

/** Whether a reference points to the owner, or to an earlier object of its name, as after a restored backup. */
function isTo({ uid, kind, name, apiVersion }: OwnerReference, { kind: ofOwner, object }: Owner): boolean {
  if (uid === object.metadata.uid) return true;
  const isOfKind = kind === ofOwner.kind && groupOf(apiVersion) === groupOf(apiVersionOf(ofOwner));
  return isOfKind && name === object.metadata.name;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
