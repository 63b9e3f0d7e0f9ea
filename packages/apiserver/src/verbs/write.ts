/** Writes to an existing object: the retry loop of update, patch and views such as status. */
import {
  apiErrors,
  cloneJson,
  isDeepEqual,
  StatusError,
  toFailure,
  quote,
  type FieldError,
  type KubeObject,
} from "@capstan/model";
import { ignoreTimestampChange, type JsonObject } from "@capstan/patch";
import { toForbidden } from "../authorize/forbidden.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { KindRules, ProjectionRules, ViewRules } from "../builtin/rules.ts";
import type { ResourceExchange } from "../exchange.ts";
import { checkMetadata, checkMetadataUpdate, checkStandardFinalizers } from "../metadata/check.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { storageKey, type ServedResource } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import { expireLater } from "./expire.ts";
import { admissionRequest } from "./context.ts";
import { checkedCodec, toChecked, toStored } from "./checked-version.ts";
import { allocate, refuse, storeNew, warnAboutOwners } from "./create.ts";
import type { WriteOptions } from "./options.ts";
import { withConversions } from "../custom/pending-conversion.ts";
import { present } from "./present.ts";
import { requestedKey } from "./requested-key.ts";

/** Returns the draft to store for the live object; both in the version of the request. */
export type Change = (live: KubeObject | undefined) => AnyDraft | Promise<AnyDraft>;

export interface Write {
  readonly name: string;
  readonly options: WriteOptions;
  readonly change: Change;
  /** Whether a missing object is created. */
  readonly createsMissing: boolean;
  /** The required uid of the object; empty for any. */
  readonly uid: string;
}

/** The result of a write; the object is in the storage version. */
export interface Written {
  readonly object: KubeObject;
  readonly created: boolean;
}

/** How often a write is retried when the object changed in the meantime. */
const maxAttempts = 100;

/** Retries until the object did not change during the write. */
export async function write(exchange: ResourceExchange, request: Write): Promise<Written> {
  const { resource, parts } = exchange;
  const key = requestedKey(exchange, request.name);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const entry = parts.store.get(resource.storage, key);
    if (entry === undefined) return createMissing(exchange, request);
    checkUid(exchange, entry, request);
    const written = await replace(exchange, entry, request);
    if (written !== undefined) return { object: written, created: false };
  }
  throw apiErrors.conflict(resource.qualified, request.name, modifiedMessage);
}

async function createMissing(exchange: ResourceExchange, request: Write): Promise<Written> {
  const { resource } = exchange;
  if (!request.createsMissing || !makesObjects(exchange)) {
    throw apiErrors.notFound(resource.qualified, request.name);
  }
  const draft = await request.change(undefined);
  if ((draft.metadata.uid ?? "") !== "") {
    const why = `Precondition failed: UID in precondition: ${draft.metadata.uid}, UID in object meta: `;
    throw storageConflict(exchange, request, why);
  }
  checkReadableVersion(draft);
  await authorizeCreate(exchange, request.name);
  return { object: await storeNew(exchange, await toChecked(resource, draft), request.options), created: true };
}

function makesObjects({ subresource }: ResourceExchange): boolean {
  if (subresource === undefined) return true;
  return subresource.rules?.type === "view" && subresource.rules.createsMissing === true;
}

/** A write that creates the object needs the create verb. */
async function authorizeCreate({ parts, user, info }: ResourceExchange, name: string): Promise<void> {
  const { group, version, resource, subresource, namespace } = info;
  const asked = {
    type: "resource",
    user,
    verb: "create",
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
  } as const;
  const decision = await parts.authorizer.authorize(asked);
  if (decision.verdict !== "Allow") throw toForbidden(asked, decision.reason);
}

function checkUid(exchange: ResourceExchange, { object }: Entry, request: Write): void {
  const { uid } = request;
  if (uid === "" || uid === object.metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${object.metadata.uid}`;
  throw storageConflict(exchange, request, why);
}

const modifiedMessage = "the object has been modified; please apply your changes to the latest version and try again";

/** One attempt; `undefined` if the object changed in the meantime. */
async function replace(exchange: ResourceExchange, entry: Entry, request: Write): Promise<KubeObject | undefined> {
  const { resource, parts } = exchange;
  const live = await present(resource, entry.object);
  const old = resource.conversion?.checks === "served" ? live : entry.object;
  const draft = await toChecked(resource, await withConversions(() => request.change(live)));
  const admitted = await admitUpdate(exchange, { draft, old, request });
  checkVersion(exchange, admitted, old);
  const rules = resource.rules as KindRules;
  const allocation = exchange.subresource === undefined ? allocate(exchange, rules, admitted, old) : undefined;
  try {
    const checking = checkUpdate(exchange, admitted, old);
    const checked = ignoreTimestamps(old, checking instanceof Promise ? await checking : checking);
    const validating = parts.admission.validate(updateRequest(exchange, { draft: checked, old, request }));
    if (validating !== undefined) await validating;
    // selfLink is not stored any more; a dry run still shows it.
    if (!request.options.dryRun) delete checked.metadata.selfLink;
    const stored = await changedForm(resource, checked, { old, entry });
    if (parts.store.get(resource.storage, entry.key) !== entry) return release(allocation);
    return await commit(exchange, entry, { checked, stored, dryRun: request.options.dryRun });
  } catch (error) {
    allocation?.release();
    throw error;
  }
}

/**
 * The object to store, or `undefined` if it equals the stored one. A change of the storage version or of defaults counts as a difference.
 */
async function changedForm(
  resource: ServedResource,
  checked: AnyDraft,
  { old, entry }: { old: KubeObject; entry: Entry },
): Promise<AnyDraft | undefined> {
  if (resource.conversion?.checks !== "served") return isDeepEqual(checked, old) ? undefined : checked;
  const stored = await toStored(resource, checked);
  return isDeepEqual(stored, entry.object) ? undefined : stored;
}

function release(allocation: { release(): void } | undefined): undefined {
  allocation?.release();
}

interface Update {
  readonly draft: AnyDraft;
  readonly old: KubeObject;
  readonly request: Write;
}

function updateRequest(
  exchange: ResourceExchange,
  { draft, old, request }: Update,
): ReturnType<typeof admissionRequest> {
  const projection = projectionOf(exchange);
  return admissionRequest(exchange, {
    operation: "UPDATE",
    name: request.name,
    object: projection === undefined ? draft : (cloneJson(shownThrough(projection, draft)) as AnyDraft),
    oldObject: projection === undefined ? old : shownThrough(projection, old),
    options: request.options.object,
    dryRun: request.options.dryRun,
  });
}

/** A write through a projection is admitted as the projection only. */
function projectionOf({ subresource }: ResourceExchange): ProjectionRules | undefined {
  return subresource?.rules?.type === "projection" ? subresource.rules : undefined;
}

/** The projection of an object, even if it is not readable yet. */
function shownThrough(projection: ProjectionRules, object: KubeObject): KubeObject {
  return projection.base?.(object) ?? projection.read(object);
}

async function admitUpdate(exchange: ResourceExchange, update: Update): Promise<AnyDraft> {
  const request = updateRequest(exchange, update);
  const mutating = exchange.parts.admission.mutate(request);
  if (mutating !== undefined) await mutating;
  const admitted = takeOver(exchange, request.object, update.draft);
  warnAboutOwners(exchange, admitted, true);
  return admitted;
}

function takeOver(exchange: ResourceExchange, admitted: AnyDraft | undefined, draft: AnyDraft): AnyDraft {
  const projection = projectionOf(exchange);
  if (admitted === undefined || projection === undefined) return admitted ?? draft;
  projection.write(admitted, draft);
  return draft;
}

/** Optimistic concurrency: a draft with another resourceVersion is rejected, one without gets the current one. */
function checkVersion({ resource }: ResourceExchange, draft: AnyDraft, old: KubeObject): void {
  const name = old.metadata.name ?? "";
  const asked = checkReadableVersion(draft);
  const rules = resource.rules as KindRules;
  if (asked === "" || Number(asked) === 0) {
    if (rules.unconditionalUpdate === false) throw versionRequired(resource, name);
    draft.metadata.resourceVersion = old.metadata.resourceVersion ?? "";
  } else if (asked !== old.metadata.resourceVersion) {
    throw apiErrors.conflict(resource.qualified, name, modifiedMessage);
  }
}

function versionRequired({ qualified }: ServedResource, name: string): StatusError {
  const error = {
    type: "FieldValueInvalid",
    field: "metadata.resourceVersion",
    body: "Invalid value: 0: must be specified for an update",
  } as const;
  return apiErrors.invalid({ group: qualified.group, kind: qualified.resource }, name, [error]);
}

/** The version of a draft, which must be a number of 64 bits. */
function checkReadableVersion({ metadata }: AnyDraft): string {
  const text = metadata.resourceVersion ?? "";
  if (!/^[0-9]*$/.test(text)) throw unparsableVersion(text);
  if (isOver64Bits(text)) throw unparsableVersion(text, "value out of range");
  return text;
}

const mostOf64Bits = "18446744073709551615";

/** Compares digits, because the conversion of a long text to a number takes quadratic time. */
function isOver64Bits(digits: string): boolean {
  const number = digits.slice(/^0*/.exec(digits)?.[0].length);
  return number.length > mostOf64Bits.length || (number.length === mostOf64Bits.length && number > mostOf64Bits);
}

/** kube-apiserver parses the version too late for a 400, and returns this error as well. */
export function unparsableVersion(text: string, why = "invalid syntax"): StatusError {
  const message = `strconv.ParseUint: parsing ${quote(text)}: ${why}`;
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}

/** Prepares and validates a changed object; returns it in its stored form. Returns a promise only on validation errors. */
function checkUpdate(exchange: ResourceExchange, draft: AnyDraft, old: KubeObject): AnyDraft | Promise<never> {
  const { resource, context, info, warnings } = exchange;
  const rules = resource.rules as KindRules;
  const target = subresourceRules(exchange, rules);
  ensureNamespace(draft, resource.namespaced ? info.namespace : "");
  setGeneration(draft, old);
  target.prepareForUpdate?.(draft, old, context);
  keepSystemFields(draft, old);
  const check = (): readonly FieldError[] => [
    ...checkMetadata(draft.metadata, resource.namespaced, "path-segment"),
    ...checkMetadataUpdate(draft.metadata, old.metadata),
    ...((target.validatesMetadata ?? rules.validatesMetadata) === true ? [] : checkMetadataAgain(draft, old, rules)),
    ...(target.validateUpdate?.(draft, old, context) ?? []),
  ];
  const found = check();
  if (found.length > 0) return refuse(exchange, draft, { found, check });
  for (const warning of target.warnings?.(draft, old, context) ?? []) warnings.add(warning);
  rules.canonicalize?.(draft);
  // Defaults are set again, because the view may have restored old fields.
  if (resource.conversion === undefined && !resource.isCustom) resource.codec.defaults(draft);
  return checkedCodec(resource).decode(draft as never, undefined);
}

/** Most kinds validate the metadata as well. */
function checkMetadataAgain({ metadata }: AnyDraft, old: KubeObject, { finalizers }: KindRules): FieldError[] {
  return [
    ...checkMetadataUpdate(metadata, old.metadata),
    ...(finalizers === "any" ? [] : checkStandardFinalizers(metadata)),
  ];
}

/** The rules of the object itself, or those of the view. */
function subresourceRules({ subresource }: ResourceExchange, rules: KindRules): KindRules | ViewRules {
  if (subresource === undefined) return rules;
  // A projection writes into the object like an update.
  if (subresource.rules?.type !== "view") return rules;
  return subresource.rules.prepareForUpdate === undefined && subresource.name === "status"
    ? { ...subresource.rules, prepareForUpdate: keepAllButStatus }
    : subresource.rules;
}

/** The default status subresource: only the status and mutable metadata can be changed. */
function keepAllButStatus(draft: AnyDraft, old: KubeObject): void {
  const { metadata } = draft;
  const target = draft as unknown as Record<string, unknown>;
  const { status } = target;
  for (const field of Object.keys(target)) if (field !== "metadata") delete target[field];
  Object.assign(target, cloneJson(old), { metadata });
  if (status === undefined) delete target["status"];
  else target["status"] = status;
}

/** Only the server sets the generation. */
function setGeneration({ metadata }: AnyDraft, old: KubeObject): void {
  if (old.metadata.generation === undefined) delete metadata.generation;
  else metadata.generation = old.metadata.generation;
}

/** Restores fields that an update cannot change. */
function keepSystemFields({ metadata }: AnyDraft, { metadata: old }: KubeObject): void {
  if ((metadata.uid ?? "") === "" && old.uid !== undefined) metadata.uid = old.uid;
  if (old.creationTimestamp !== undefined) metadata.creationTimestamp = old.creationTimestamp;
  if (old.deletionTimestamp !== undefined) metadata.deletionTimestamp = old.deletionTimestamp;
  if (old.deletionGracePeriodSeconds !== undefined) {
    metadata.deletionGracePeriodSeconds ??= old.deletionGracePeriodSeconds;
  }
}

function ignoreTimestamps(old: KubeObject, draft: AnyDraft): AnyDraft {
  const kept = ignoreTimestampChange(old as unknown as JsonObject, draft as unknown as JsonObject);
  return kept === (old as unknown) ? cloneJson(old) : draft;
}

interface Commit {
  readonly checked: AnyDraft;
  /** The object in the storage version; `undefined` if nothing changed. */
  readonly stored: AnyDraft | undefined;
  readonly dryRun: boolean;
}

async function commit(
  exchange: ResourceExchange,
  entry: Entry,
  { checked, stored, dryRun }: Commit,
): Promise<KubeObject> {
  const { resource, context, parts } = exchange;
  const rules = resource.rules as KindRules;
  if (isFinished(exchange, checked, entry.object)) {
    if (!dryRun) {
      parts.store.remove(resource.storage, entry);
      rules.stored?.({ type: "deleted", old: entry.object }, parts.writer, context);
    }
    await parts.store.settled();
    return checked;
  }
  if (stored === undefined) return entry.object;
  if (dryRun) return stored;
  const written = parts.store.put(resource.storage, entry.key, stored);
  expireLater(exchange, written);
  rules.stored?.({ type: "updated", object: written.object, old: entry.object }, parts.writer, context);
  await parts.store.settled();
  return written.object;
}

/** Whether an update removes the last finalizer of an object under deletion, which is then deleted. */
function isFinished(
  { resource, subresource }: ResourceExchange,
  draft: AnyDraft,
  { metadata: old }: KubeObject,
): boolean {
  if (old.deletionTimestamp === undefined || (draft.metadata.finalizers ?? []).length > 0) return false;
  if ((old.deletionGracePeriodSeconds ?? 0) !== 0) return false;
  if (subresource?.rules?.type === "view" && subresource.rules.removes?.(draft) === true) return true;
  return (resource.rules as KindRules).deletion?.stays?.(draft) !== true;
}

/** The error for an unmet precondition, with the message of kube-apiserver's storage layer. */
function storageConflict(
  { resource, info }: ResourceExchange,
  { name, options }: Pick<Write, "name" | "options">,
  why: string,
): StatusError {
  // A dry run does not get as far as the key prefix.
  const root = options.dryRun ? "" : "/registry";
  const key = `${root}/${registryPath(resource)}/${storageKey(resource, info.namespace, name)}`;
  const message = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: ${why}`;
  return apiErrors.conflict(resource.qualified, name, message);
}

const registryPaths: Readonly<Record<string, string>> = {
  services: "services/specs",
  endpoints: "services/endpoints",
  nodes: "minions",
  replicationcontrollers: "controllers",
  "ingresses.networking.k8s.io": "ingress",
  "apiservices.apiregistration.k8s.io": "apiregistration.k8s.io/apiservices",
  "customresourcedefinitions.apiextensions.k8s.io": "apiextensions.k8s.io/customresourcedefinitions",
};

function registryPath({ storage, resource, group, isCustom }: ServedResource): string {
  return registryPaths[storage] ?? (isCustom ? `${group}/${resource}` : resource);
}
