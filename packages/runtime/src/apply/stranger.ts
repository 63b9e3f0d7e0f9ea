/** Keeps an operator from taking over what somebody else made: an object is a child's predecessor only if it carries a mark of ours. */
import { apiVersionOf } from "@capstan/model";
import type { OwnerReference, StoredObject } from "@capstan/model";
import { keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { RuntimeError } from "../errors.ts";
import { OWNER_LABEL } from "../owner-label.ts";
import { OWNER_ANNOTATION } from "../trigger/trigger.ts";
import { noteOf, otherOwnerOf } from "./owner.ts";
import type { Owner, OwnerUid } from "./owner.ts";
import type { Writer } from "./writer.ts";

/** An object that stands where a child shall be, and who wants to write it. */
export interface Encounter {
  readonly kind: AnyKind;
  readonly live: StoredObject;
  readonly owner: Owner;
  /** Finds an object of the owner's kind. */
  readonly uidAt: (key: string) => Promise<OwnerUid>;
  /** Who writes it: knows our field owners. */
  readonly writer: Pick<Writer, "isOurs">;
  /** Whether the user said that the object may be taken over. */
  readonly adopt: boolean;
}

/** Throws when an object is not ours and may not become ours. What another object controls never may: it can have but one controller. */
export async function mustBeOurs({ kind, live, owner, uidAt, writer, adopt }: Encounter): Promise<void> {
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
      ? `somebody else made it. If it is to be taken over, and deleted with its new owner, apply it with \`adopt: true\`. ${advice}`
      : `it belongs to ${other}. ${advice}`;
  throw new RuntimeError("NotOurs", `Did not write ${object}: ${why}`, { object });
}

/** Objects that an earlier version applied, under another name of its controller, still tell whose they are. */
function isMarkedFor({ metadata }: StoredObject, owner: Owner): boolean {
  return (
    metadata.labels?.[OWNER_LABEL] === owner.object.metadata.uid ||
    metadata.ownerReferences?.some((reference) => isTo(reference, owner)) === true
  );
}

/** After a restored backup the note leads to the owner as a reference does by its name. */
function isNotedFor({ metadata }: StoredObject, owner: Owner): boolean {
  return metadata.labels?.[OWNER_LABEL] !== undefined && metadata.annotations?.[OWNER_ANNOTATION] === noteOf(owner);
}

/** What we wrote and nobody controls was ours: its references may be lost. What another object controls is that object's, by whomever. */
function isWrittenBy({ metadata }: StoredObject, writer: Pick<Writer, "isOurs">): boolean {
  return metadata.managedFields?.some(({ manager }) => writer.isOurs(manager)) === true;
}

/** Whether a reference leads to the owner, or to one of its name that was there before it, as after a restored backup. */
function isTo({ uid, kind, name, apiVersion }: OwnerReference, { kind: ofOwner, object }: Owner): boolean {
  if (uid === object.metadata.uid) return true;
  const isOfKind = kind === ofOwner.kind && groupOf(apiVersion) === groupOf(apiVersionOf(ofOwner));
  return isOfKind && name === object.metadata.name;
}

function groupOf(apiVersion: string): string {
  return apiVersion.includes("/") ? apiVersion.slice(0, apiVersion.indexOf("/")) : "";
}
