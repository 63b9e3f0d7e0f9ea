/** The status as a draft: the reconcile writes into it, and what changed is sent once, at the end. */
import { mergePatchBetween } from "@capstan/client";
import { keyOf } from "@capstan/model";
import type { Json, StoredObject } from "@capstan/model";
import { applyDefaults, prune, readSchema } from "@capstan/schema";
import type { StructuralSchema } from "@capstan/schema";
import { isLater, keyText } from "../api.ts";
import type { AnyKind } from "../api.ts";
import { isResource } from "../resource.ts";
import { conditionSetter } from "./conditions.ts";
import type { Condition, SetCondition } from "./conditions.ts";
import { mustBeJson, oddIn } from "./json-only.ts";
import { rebased } from "./rebase.ts";
import type { Writer } from "./writer.ts";

/** Any status. */
export interface StatusFields {
  conditions?: Condition[];
  [field: string]: unknown;
}

/** A draft and the method that declares a condition. */
export type Draft = StatusFields & { readonly condition: SetCondition };

/** What a draft is made from. */
export interface DraftOptions {
  readonly object: StoredObject;
  /** What to write as the time of a transition. */
  readonly time: () => string;
  /** Throws where a condition may not be set. */
  readonly check?: (condition: string) => void;
}

/** The objects that drafts were begun with. */
const begunWith = new WeakMap<object, StoredObject>();

/** A draft that starts as the status is. */
export function draftOf({ object, time, check }: DraftOptions): Draft {
  const fields = copy((object as { readonly status?: StatusFields }).status ?? {});
  begunWith.set(fields, object);
  const setter = conditionSetter({ fields, generation: object.metadata.generation, time, check });
  return Object.defineProperty(fields, "condition", { value: setter, enumerable: false }) as Draft;
}

/** A copy of JSON that may be written to: several times quicker than structuredClone, which can do much more. */
function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // Each branch builds the same shape that it was given.
  if (Array.isArray(value)) return value.map(copy) as T;
  const made: { [name: string]: unknown } = {};
  for (const name in value) made[name] = copy(value[name]);
  return made as T;
}

/** Whose status it is. */
export interface StatusTarget {
  readonly kind: AnyKind;
  readonly object: StoredObject;
}

/** Whether writing a draft would change the status of an object. */
export function hasStatusChange(target: StatusTarget, draft: StatusFields): boolean {
  const { target: over, fields } = rebase(target, draft);
  return changeOf(over, fields).status !== undefined;
}

/** Sends what differs between the draft and the status, if anything does; answers with the fields that the server will not keep. */
export async function writeStatus(
  writer: Writer,
  target: StatusTarget,
  draft: StatusFields,
): Promise<readonly string[]> {
  const { kind } = target;
  const { target: over, fields } = rebase({ kind, object: latestOf(writer, target) }, draft);
  const { status, unknown } = changeOf(over, fields);
  if (status === undefined) return unknown;
  mustBeJson({ status }, () => `the status of ${kind.kind} ${keyText(over.object)}`);
  const { uid, resourceVersion } = over.object.metadata;
  await writer.patch(kind, keyOf(over.object), {
    body: { metadata: { uid, resourceVersion }, status },
    part: "status",
  });
  return unknown;
}

/** Why a field of a draft is lost: most likely it is misspelt, and the compiler was not asked. */
export function unknownFieldText(kind: AnyKind, field: string): string {
  const names = [...(statusSchemaOf(kind)?.properties?.keys() ?? [])].sort();
  const known = names.length === 0 ? "" : ` There are ${names.join(", ")}.`;
  return `The status of ${kind.kind} has no field "${field}", so the server drops it.${known} Correct the name, or add it to the schema.`;
}

/** What is to be sent, if anything, and which fields of the draft the schema does not have. */
interface StatusChange {
  readonly status: ReturnType<typeof mergePatchBetween>;
  readonly unknown: readonly string[];
}

/**
 * What differs, unless the server would make of the draft what is there already: it drops fields that the schema does not have and fills in
 * its defaults, and the next reconcile would write the same again.
 */
function changeOf({ kind, object }: StatusTarget, draft: StatusFields): StatusChange {
  const status = shownOf(object);
  const change = mergePatchBetween(status, draft);
  if (change === undefined) return { status: undefined, unknown: [] };
  const kept = keptOf(kind, draft);
  if (kept === undefined) return { status: change, unknown: [] };
  const isThere = mergePatchBetween(status, kept.fields) === undefined;
  return {
    status: isThere ? undefined : change,
    unknown: kept.unknown.length === 0 ? [] : own(kind, status, kept.unknown),
  };
}

/** Without what is stored already: a later version of the operator knows those fields. */
function own(kind: AnyKind, status: StatusFields, unknown: readonly string[]): readonly string[] {
  const others = new Set(keptOf(kind, status)?.unknown.map(withoutPlaces));
  const left = new Set(unknown.map(withoutPlaces)).difference(others);
  return [...left].slice(0, MOST_UNKNOWN);
}

/** What is in a list may move. */
function withoutPlaces(field: string): string {
  return field.replaceAll(/\[\d+\]/gu, "[]");
}

/** A draft as the server would keep it, and which fields it would not; undefined where the schema is not known, and for what is no JSON. */
function keptOf(
  kind: AnyKind,
  draft: StatusFields,
): { readonly fields: StatusFields; readonly unknown: readonly string[] } | undefined {
  const schema = statusSchemaOf(kind);
  if (schema === undefined || oddIn(draft) !== undefined) return undefined;
  try {
    const sent = JSON.parse(JSON.stringify(draft)) as Json;
    const { value, unknown } = prune(sent, schema, false);
    return { fields: applyDefaults(value, schema) as unknown as StatusFields, unknown };
  } catch {
    return undefined;
  }
}

/** Whether the schema of a kind has a status field that drafts cannot show. */
export function hidesField(kind: AnyKind): boolean {
  return statusSchemaOf(kind)?.properties?.has("condition") === true;
}

/** So many fields that a schema does not have say enough. */
const MOST_UNKNOWN = 5;

const statusSchemas = new WeakMap<object, StructuralSchema | undefined>();

function statusSchemaOf(kind: AnyKind): StructuralSchema | undefined {
  if (!statusSchemas.has(kind)) {
    const whole = isResource(kind) ? kind.versions[kind.version]?.schema : undefined;
    statusSchemas.set(kind, whole && readSchema(whole as unknown as Json).properties?.get("status"));
  }
  return statusSchemas.get(kind);
}

function statusOf(object: StoredObject): StatusFields {
  return (object as { readonly status?: StatusFields }).status ?? {};
}

/**
 * The object that is written over. kube-apiserver does not look at the uid where it writes the status of a custom resource, so only
 * a version keeps a namesake from getting the status of an object that is gone. It is the latest that is known of this very object, so
 * that others may go on changing it.
 */
function latestOf(writer: Writer, { kind, object }: StatusTarget): StoredObject {
  const known = writer.known(kind, object);
  if (known?.metadata.uid !== object.metadata.uid) return object;
  return isLater(known.metadata.resourceVersion, object.metadata.resourceVersion) ? known : object;
}

/** What is to be written over an object. Where a draft cannot be told from what others wrote, the server is to refuse it: it is that of the version that was read. */
function rebase({ kind, object }: StatusTarget, draft: StatusFields): { target: StatusTarget; fields: StatusFields } {
  const begun = begunWith.get(draft) ?? object;
  const fields = rebased({ draft, base: shownOf(begun), latest: shownOf(object) });
  return fields === undefined
    ? { target: { kind, object: begun }, fields: draft }
    : { target: { kind, object }, fields };
}

/** The status without a field that is hidden by the draft's method: nobody has taken it away. */
function shownOf(object: StoredObject): StatusFields {
  const { condition: _hidden, ...status } = statusOf(object);
  return status;
}
