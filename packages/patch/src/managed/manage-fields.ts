/** The entry point for an API server: the owners of fields after an object was created, updated, patched or applied. */
import { formatInstant, fromMilliseconds, type Json, type ManagedFieldsEntry, type StatusCause } from "@capstan/model";
import { explain, PatchError, refuseTooDeep, type PatchErrorCode } from "../errors.ts";
import { differenceOf, fieldSetOf, hasPath, isEmptySet, unionOf } from "../fields/field-set.ts";
import { isObject, type JsonObject } from "../json-value.ts";
import type { TypeSchema } from "../schema/type-schema.ts";
import type { IsSame } from "../typed/compare.ts";
import { findTypeErrors } from "../typed/validate.ts";
import { capUpdaters } from "./cap.ts";
import { conflictCauses, conflictingFields, formatConflicts, type FieldConflict } from "./conflict.ts";
import { fieldsFromLastApplied, lastAppliedManager, withLastApplied } from "./last-applied.ts";
import {
  describeObject,
  formatKindOf,
  hasReadableManaged,
  managedOf,
  uidOf,
  withManaged,
  withoutManaged,
} from "./metadata.ts";
import { applyOwnership, updateOwnership, type Applied, type FieldFilter, type Rules } from "./ownership.ts";
import { decodeOwners, ownerId, type Owner, type Owners } from "./owners.ts";
import type { TypedObject } from "./typed-object.ts";

/** An object in another version, with the type it has there. */
export interface ConvertedObject {
  readonly object: JsonObject;
  readonly schema: TypeSchema;
}

/** A request, with the schema of its kind. All objects are in the version of the request. */
export interface ManageFieldsOptions {
  readonly operation: "Apply" | "Update";
  /** The stored object with its managed fields; undefined when the request creates it. */
  readonly live: JsonObject | undefined;
  /** The applied configuration, or the whole object after an update or a patch. */
  readonly incoming: JsonObject;
  readonly apiVersion: string;
  readonly kind: string;
  readonly manager: string;
  readonly subresource?: string;
  readonly force?: boolean;
  readonly now: Date;
  readonly schema: TypeSchema;
  /** The object of this kind before anything is set; omitted for custom resources, which have no such fields. */
  readonly empty?: JsonObject;
  /** Fields that this request may not set, by version: they are neither owned nor in conflict. */
  readonly resetFields?: { readonly [apiVersion: string]: FieldFilter };
  /** Converts an object to another version; undefined when that version is not served any more. */
  readonly convert?: (object: JsonObject, apiVersion: string) => ConvertedObject | undefined;
  /** Whether atomic values are equal, where an update knows more about them than their JSON. */
  readonly isSame?: IsSame;
}

/** The result of the request. */
export type ManageFieldsResult =
  | { readonly outcome: "done"; readonly object: JsonObject }
  | {
      readonly outcome: "conflict";
      readonly message: string;
      readonly causes: readonly StatusCause[];
      readonly conflicts: readonly FieldConflict[];
    }
  | { readonly outcome: "refused"; readonly code: PatchErrorCode; readonly message: string };

/** Merges the applied configuration, and records the owners of fields in `metadata.managedFields`. Does not change its arguments. */
export function manageFields(options: ManageFieldsOptions): ManageFieldsResult {
  const request = toRequest(options);
  try {
    return refuseTooDeep(() =>
      options.operation === "Apply" ? apply(request) : { outcome: "done", object: update(request) },
    );
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    if (options.operation === "Apply") return { outcome: "refused", code: error.code, message: error.message };
    // An update never fails because of managed fields: the object is stored without them.
    return { outcome: "done", object: withoutManaged(options.incoming) };
  }
}

interface Request extends ManageFieldsOptions {
  readonly subresource: string;
  readonly rules: Rules;
  /** The live object, or the empty one, without managed fields. */
  readonly base: JsonObject;
}

function toRequest(options: ManageFieldsOptions): Request {
  const rules: Rules = {
    filterAt: (apiVersion) => options.resetFields?.[apiVersion],
    isSame: options.isSame,
    convert: (object, apiVersion) => {
      if (object.apiVersion === apiVersion) return object;
      const converted = isObject(object.value) ? options.convert?.(object.value, apiVersion) : undefined;
      return converted && toTyped(converted, apiVersion);
    },
  };
  const base = withoutManaged(options.live ?? emptyObject(options));
  return { ...options, subresource: options.subresource ?? "", rules, base };
}

/** The output of a conversion is validated like an applied configuration: list items must be distinguishable. */
function toTyped({ object, schema }: ConvertedObject, apiVersion: string): TypedObject {
  const problem = findTypeErrors(object, schema, { allowDuplicates: false });
  if (problem !== undefined) throw new PatchError("Internal", problem);
  return { apiVersion, value: object, type: schema };
}

function emptyObject({ apiVersion, kind, empty }: ManageFieldsOptions): JsonObject {
  return { ...empty, apiVersion, kind };
}

function typed(request: Request, value: Json): TypedObject {
  return { apiVersion: request.apiVersion, value, type: request.schema };
}

function apply(request: Request): ManageFieldsResult {
  const { incoming, live } = request;
  const refusal = refuse(request);
  if (refusal !== undefined) return refusal;
  const decoded = decodeOwners(managedOf(live) ?? []);
  if ("error" in decoded) return internal(`failed to decode managed fields: ${decoded.error}`);
  const owners = decoded.size > 0 ? decoded : ownersBeforeFirstApply(request);
  const problem = findTypeErrors(incoming, request.schema, { allowDuplicates: false });
  if (problem !== undefined)
    return internal(`failed to create typed patch object (${describeObject(incoming)}): ${problem}`);
  const liveProblem = findTypeErrors(request.base, request.schema, { allowDuplicates: true });
  if (liveProblem !== undefined) {
    return internal(`failed to create typed live object (${describeObject(request.base)}): ${liveProblem}`);
  }
  return finishApply(request, owners);
}

function finishApply(request: Request, owners: Owners): ManageFieldsResult {
  const result = applyAs(request, owners);
  if ("conflicts" in result) {
    const { conflicts } = result;
    return { outcome: "conflict", conflicts, message: formatConflicts(conflicts), causes: conflictCauses(conflicts) };
  }
  const { merged } = result;
  const object = merged !== undefined && isObject(merged.value) ? merged.value : request.base;
  const stamped = merged === undefined ? result.owners : stamp(result.owners, actorOf(request), request.now);
  const described = request.manager === lastAppliedManager ? withLastApplied(object, request.incoming) : object;
  return { outcome: "done", object: withManaged(described, strip(stamped, actorOf(request))) };
}

/** Applies a configuration; fields of an earlier client-side apply are not a conflict for the manager that takes them over. */
function applyAs(request: Request, owners: Owners): Applied {
  const live = typed(request, request.base);
  const applied = typed(request, request.incoming);
  const as = ownerOf(request, request.manager);
  const change = { live, owners, actor: ownerId(as), as: withTimeOf(as, owners) };
  const force = request.force ?? false;
  const result = applyOwnership({ ...change, force }, applied, request.rules);
  if (!("conflicts" in result) || request.manager !== lastAppliedManager) return result;
  const allowed = fieldsFromLastApplied(live);
  if (allowed === undefined) return result;
  if (isEmptySet(differenceOf(conflictingFields(result.conflicts), allowed))) {
    return applyOwnership({ ...change, force: true }, applied, request.rules);
  }
  return { conflicts: result.conflicts.filter(({ path }) => !hasPath(allowed, path)) };
}

/** Fields from before the first apply belong to a separate manager, so that applying over them conflicts. */
function ownersBeforeFirstApply(request: Request): Owners {
  const before: Request = { ...request, base: emptyObject(request), operation: "Update" };
  const existing: Update = { object: request.base, owners: new Map(), manager: "before-first-apply" };
  return explain("failed to create manager for existing fields", () => trackUpdate(before, existing));
}

/** The object after an update, with its owners; without owners when they cannot be determined. */
function update(request: Request): JsonObject {
  const { incoming, live } = request;
  const owners = ownersForUpdate(request);
  const object = withoutManaged(incoming);
  // An object without managed fields is not tracked again before the next apply.
  if (owners.size === 0 && uidOf(live) !== "") return object;
  return withManaged(object, capUpdaters(trackUpdate(request, { object, owners, manager: request.manager })));
}

interface Update {
  readonly object: JsonObject;
  readonly owners: Owners;
  readonly manager: string;
}

/** The owners after an update; throws when an object does not fit the schema. */
function trackUpdate(request: Request, { object, owners, manager }: Update): Owners {
  checkFits(request, "new", object);
  checkFits(request, "live", request.base);
  const as = ownerOf({ ...request, operation: "Update" }, manager);
  const [live, updated, id] = [typed(request, request.base), typed(request, object), ownerId(as)];
  // The change is first recorded under a separate name, so that changes of fields that the manager already owns are detected.
  const changed = explain(`failed to update ManagedFields (${describeObject(object)})`, () =>
    updateOwnership({ live, owners, actor: "", as }, updated, request.rules),
  );
  const next = new Map(strip(changed, ""));
  const current = next.get("");
  if (current === undefined) return next;
  next.delete("");
  const previous = next.get(id);
  const fields = previous === undefined ? current.fields : unionOf(current.fields, previous.fields);
  next.set(id, { ...as, fields, time: formatTimestamp(request.now) });
  return next;
}

function checkFits({ schema }: Request, which: "new" | "live", object: JsonObject): void {
  const problem = findTypeErrors(object, schema, { allowDuplicates: true });
  if (problem === undefined) return;
  throw new PatchError(
    "Internal",
    `failed to convert ${which} object (${describeObject(object)}) to smd typed: ${problem}`,
  );
}

/** The owners that an update starts from: those that the client sent, unless it sent none or may not change them. */
function ownersForUpdate({ live, incoming, subresource }: Request): Owners {
  const stored = decodeOr(managedOf(live) ?? []);
  const sent = managedOf(incoming);
  if (subresource !== "" || sent === undefined) return stored;
  if (isReset(sent)) return new Map();
  const decoded = decodeOwners(sent);
  return "error" in decoded || decoded.size === 0 ? stored : decoded;
}

function decodeOr(entries: readonly ManagedFieldsEntry[]): Owners {
  const decoded = decodeOwners(entries);
  return "error" in decoded ? new Map() : decoded;
}

/** An empty list, or one with an empty entry, requests to reset the owners. */
function isReset(entries: readonly ManagedFieldsEntry[]): boolean {
  const [only] = entries;
  return only === undefined || (entries.length === 1 && Object.keys(only).length === 0);
}

/** Fields that identify an object have no owner. */
const strippedFields = fieldSetOf(
  ["f:apiVersion"],
  ["f:kind"],
  ["f:metadata"],
  ...[
    "name",
    "namespace",
    "creationTimestamp",
    "selfLink",
    "uid",
    "clusterName",
    "generation",
    "managedFields",
    "resourceVersion",
  ].map((name) => ["f:metadata", `f:${name}`]),
);

function strip(owners: Owners, id: string): Owners {
  const owner = owners.get(id);
  if (owner === undefined) return owners;
  const fields = differenceOf(owner.fields, strippedFields);
  const next = new Map(owners);
  if (isEmptySet(fields)) next.delete(id);
  else next.set(id, { ...owner, fields });
  return next;
}

function ownerOf(request: Request, manager: string): Omit<Owner, "fields"> {
  const { operation, apiVersion, subresource } = request;
  return { manager: manager === "" ? "unknown" : manager, operation, apiVersion, subresource };
}

function actorOf(request: Request): string {
  return ownerId(ownerOf(request, request.manager));
}

function withTimeOf(as: Omit<Owner, "fields">, owners: Owners): Omit<Owner, "fields"> {
  const time = owners.get(ownerId(as))?.time;
  return time === undefined ? as : { ...as, time };
}

function stamp(owners: Owners, id: string, now: Date): Owners {
  const owner = owners.get(id);
  return owner === undefined ? owners : new Map(owners).set(id, { ...owner, time: formatTimestamp(now) });
}

function formatTimestamp(now: Date): string {
  return formatInstant(fromMilliseconds(now.getTime()));
}

function refuse(request: Request): ManageFieldsResult | undefined {
  const { incoming, apiVersion, kind } = request;
  if (incoming["apiVersion"] !== apiVersion || incoming["kind"] !== kind) {
    return { outcome: "refused", code: "BadRequest", message: `invalid object type: ${formatKindOf(incoming)}` };
  }
  if (!hasReadableManaged(incoming)) return undefined;
  return { outcome: "refused", code: "BadRequest", message: "metadata.managedFields must be nil" };
}

function internal(message: string): ManageFieldsResult {
  return { outcome: "refused", code: "Internal", message };
}
