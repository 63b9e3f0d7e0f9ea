/** Writes to an object that may be there already: the loop around update, patch and views such as status. */
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

/** What a write wants to store, given what is there; both in the version of the request. */
export type Change = (live: KubeObject | undefined) => AnyDraft | Promise<AnyDraft>;

/** One write. */
export interface Write {
  readonly name: string;
  readonly options: WriteOptions;
  readonly change: Change;
  /** Whether the object is made when it is not there. */
  readonly createsMissing: boolean;
  /** A uid that the object must have; empty for any. */
  readonly uid: string;
}

/** What came of a write; the object is in the stored version. */
export interface Written {
  readonly object: KubeObject;
  readonly created: boolean;
}

/** How often a write starts over when the object changed while it waited. */
const maxAttempts = 100;

/** Writes until nobody interferes. */
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
  await authorizeCreate(exchange, request.name);
  return { object: await storeNew(exchange, await toChecked(resource, draft), request.options), created: true };
}

function makesObjects({ subresource }: ResourceExchange): boolean {
  if (subresource === undefined) return true;
  return subresource.rules?.type === "view" && subresource.rules.createsMissing === true;
}

/** A write that turns out to create needs the right to create. */
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

/** One attempt; `undefined` when the object changed meanwhile. */
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
    // Nothing is stored under such a name any more; a trial still shows it.
    if (!request.options.dryRun) delete checked.metadata.selfLink;
    const stored = await changedForm(resource, checked, { old, entry });
    if (parts.store.get(resource.storage, entry.key) !== entry) return release(allocation);
    return await commit(exchange, entry, { checked, stored, dryRun: request.options.dryRun });
  } catch (error) {
    allocation?.release();
    throw error;
  }
}

/** What to store, or `undefined` if that is there already: what was stored in another version, or before a default came, is not. */
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

/** Whoever writes through a projection changes that, and nothing else is admitted. */
function projectionOf({ subresource }: ResourceExchange): ProjectionRules | undefined {
  return subresource?.rules?.type === "projection" ? subresource.rules : undefined;
}

/** The projection of an object, also of one whose projection cannot be read yet. */
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

/** Optimistic concurrency: a draft with another resourceVersion is refused, one without takes the present one. */
function checkVersion({ resource }: ResourceExchange, draft: AnyDraft, old: KubeObject): void {
  const name = old.metadata.name ?? "";
  const asked = draft.metadata.resourceVersion ?? "";
  if (!/^[0-9]*$/.test(asked)) throw unparsableVersion(asked);
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

/** The real server answers so, too: it reads the version where no bad request can be made of it any more. */
export function unparsableVersion(text: string): StatusError {
  const message = `strconv.ParseUint: parsing ${quote(text)}: invalid syntax`;
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}

/** Prepares and checks a changed object; answers with it in its one stored form. Refusals take their time. */
function checkUpdate(exchange: ResourceExchange, draft: AnyDraft, old: KubeObject): AnyDraft | Promise<never> {
  const { resource, context, info, warnings } = exchange;
  const rules = resource.rules as KindRules;
  const door = doorRules(exchange, rules);
  ensureNamespace(draft, resource.namespaced ? info.namespace : "");
  setGeneration(draft, old);
  door.prepareForUpdate?.(draft, old, context);
  keepSystemFields(draft, old);
  const check = (): readonly FieldError[] => [
    ...checkMetadata(draft.metadata, resource.namespaced, "path-segment"),
    ...checkMetadataUpdate(draft.metadata, old.metadata),
    ...((door.validatesMetadata ?? rules.validatesMetadata) === true ? [] : checkMetadataAgain(draft, old, rules)),
    ...(door.validateUpdate?.(draft, old, context) ?? []),
  ];
  const found = check();
  if (found.length > 0) return refuse(exchange, draft, { found, check });
  for (const warning of door.warnings?.(draft, old, context) ?? []) warnings.add(warning);
  rules.canonicalize?.(draft);
  // What is stored is read with its defaults, whatever the door has put back.
  if (resource.conversion === undefined && !resource.isCustom) resource.codec.defaults(draft);
  return checkedCodec(resource).decode(draft as never, undefined);
}

/** Most kinds look at the metadata themselves as well. */
function checkMetadataAgain({ metadata }: AnyDraft, old: KubeObject, { finalizers }: KindRules): FieldError[] {
  return [
    ...checkMetadataUpdate(metadata, old.metadata),
    ...(finalizers === "any" ? [] : checkStandardFinalizers(metadata)),
  ];
}

/** The object itself and its views have rules of the same form. */
function doorRules({ subresource }: ResourceExchange, rules: KindRules): KindRules | ViewRules {
  if (subresource === undefined) return rules;
  // A projection writes into the object as an update of it would.
  if (subresource.rules?.type !== "view") return rules;
  return subresource.rules.prepareForUpdate === undefined && subresource.name === "status"
    ? { ...subresource.rules, prepareForUpdate: keepAllButStatus }
    : subresource.rules;
}

/** A status door that says nothing itself: only the status and the metadata that belongs to nobody else come through. */
function keepAllButStatus(draft: AnyDraft, old: KubeObject): void {
  const { metadata } = draft;
  const target = draft as unknown as Record<string, unknown>;
  const { status } = target;
  for (const field of Object.keys(target)) if (field !== "metadata") delete target[field];
  Object.assign(target, cloneJson(old), { metadata });
  if (status === undefined) delete target["status"];
  else target["status"] = status;
}

/** Only the server counts generations. */
function setGeneration({ metadata }: AnyDraft, old: KubeObject): void {
  if (old.metadata.generation === undefined) delete metadata.generation;
  else metadata.generation = old.metadata.generation;
}

/** What an update can never change. */
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
  /** The same in the stored version; `undefined` when nothing changed. */
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

/** An object under deletion disappears with the update that leaves it no reason to stay. */
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

/** A precondition that the store found unmet, in the words of the store behind kube-apiserver. */
function storageConflict(
  { resource, info }: ResourceExchange,
  { name, options }: Pick<Write, "name" | "options">,
  why: string,
): StatusError {
  // A trial run does not come as far as the place where all keys are kept.
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
