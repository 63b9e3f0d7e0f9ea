/** The status as a draft: the reconcile writes into it, and the changes are sent once, at the end. */
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

export interface DraftOptions {
  readonly object: StoredObject;
  /** The current time for `lastTransitionTime`. */
  readonly time: () => string;
  /** Throws if a condition may not be set. */
  readonly check?: (condition: string) => void;
}

/** The object that each draft was created from. */
const begunWith = new WeakMap<object, StoredObject>();

/** A draft that starts with the current status. */
export function draftOf({ object, time, check }: DraftOptions): Draft {
  const fields = copy((object as { readonly status?: StatusFields }).status ?? {});
  begunWith.set(fields, object);
  const setter = conditionSetter({ fields, generation: object.metadata.generation, time, check });
  return Object.defineProperty(fields, "condition", { value: setter, enumerable: false }) as Draft;
}

/** A mutable deep copy of JSON, several times faster than structuredClone. */
function copy<T>(value: T): T {
  if (typeof value !== "object" || value === null) return value;
  // Each branch builds the same shape as its input.
  if (Array.isArray(value)) return value.map(copy) as T;
  const made: { [name: string]: unknown } = {};
  for (const name in value) made[name] = copy(value[name]);
  return made as T;
}

/** The object of a status. */
export interface StatusTarget {
  readonly kind: AnyKind;
  readonly object: StoredObject;
}

/** Whether writing a draft would change the status of an object. */
export function hasStatusChange(target: StatusTarget, draft: StatusFields): boolean {
  const { target: over, fields } = rebase(target, draft);
  return changeOf(over, fields).status !== undefined;
}

/** Sends the difference between draft and status, if there is one; returns the fields that the server will not keep. */
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

/** Explains a field of a draft that the server drops: most likely it is misspelt and the code was not type-checked. */
export function unknownFieldText(kind: AnyKind, field: string): string {
  const names = [...(statusSchemaOf(kind)?.properties?.keys() ?? [])].sort();
  const known = names.length === 0 ? "" : ` There are ${names.join(", ")}.`;
  return `The status of ${kind.kind} has no field "${field}", so the server drops it.${known} Correct the name, or add it to the schema.`;
}

/** The patch to send, if any, and the fields of the draft that the schema does not have. */
interface StatusChange {
  readonly status: ReturnType<typeof mergePatchBetween>;
  readonly unknown: readonly string[];
}

/**
 * The difference, unless the server would store the draft as the current status: it drops unknown fields and fills in defaults, and the
 * next reconcile would write the same again.
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

/** Without fields that are already stored: a later version of the operator knows them. */
function own(kind: AnyKind, status: StatusFields, unknown: readonly string[]): readonly string[] {
  const others = new Set(keptOf(kind, status)?.unknown.map(withoutPlaces));
  const left = new Set(unknown.map(withoutPlaces)).difference(others);
  return [...left].slice(0, MOST_UNKNOWN);
}

/** Items of a list may move. */
function withoutPlaces(field: string): string {
  return field.replaceAll(/\[\d+\]/gu, "[]");
}

/**
 * The draft as the server would store it, and the fields that it would drop; undefined if the schema is not known, or the draft is not
 * JSON.
 */
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

/** The number of unknown fields after which no more are listed. */
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
 * The object to patch. kube-apiserver ignores the uid in status writes of custom resources, so only a resourceVersion keeps a new object
 * of the same name from getting the status of a deleted one. It is the latest known version of this object, so that other writers may
 * continue to change it.
 */
function latestOf(writer: Writer, { kind, object }: StatusTarget): StoredObject {
  const known = writer.known(kind, object);
  if (known?.metadata.uid !== object.metadata.uid) return object;
  return isLater(known.metadata.resourceVersion, object.metadata.resourceVersion) ? known : object;
}

/**
 * The draft rebased on the latest version of the object. If that is ambiguous, the version that was read is used, so that the server
 * rejects the write with a conflict.
 */
function rebase({ kind, object }: StatusTarget, draft: StatusFields): { target: StatusTarget; fields: StatusFields } {
  const begun = begunWith.get(draft) ?? object;
  const fields = rebased({ draft, base: shownOf(begun), latest: shownOf(object) });
  return fields === undefined
    ? { target: { kind, object: begun }, fields: draft }
    : { target: { kind, object }, fields };
}

/** The status without the field that the draft's method hides: the reconcile has not removed it. */
function shownOf(object: StoredObject): StatusFields {
  const { condition: _hidden, ...status } = statusOf(object);
  return status;
}
