/** delete: removes an object at once, or marks it and removes it after its grace period and its finalizers. */
import {
  apiErrors,
  cloneJson,
  formatTime,
  isDeepEqual,
  parseTime,
  toGoJson,
  toMilliseconds,
  type KubeObject,
  type Status,
} from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { KindRules, Propagation } from "../builtin/rules.ts";
import { respondJson, respondObject } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { ServedResource } from "../resources/resource.ts";
import type { Entry } from "../store/entry.ts";
import { admissionRequest } from "./context.ts";
import { readDeleteOptions, type DeleteOptions } from "./delete-options.ts";
import { present } from "./present.ts";
import { requestedKey } from "./requested-key.ts";

/** Serves a DELETE of one object. */
export async function remove(exchange: ResourceExchange): Promise<Answer> {
  const options = await readDeleteOptions(exchange);
  warnOfPropagation(exchange, options);
  const removed = await removeObject(exchange, exchange.info.name, options);
  const status = removed.type === "marked" && options.orphanDependents === false ? 202 : 200;
  if (removed.type === "marked" || returnsObject(exchange)) return respondObject(exchange, status, removed.object);
  const told = removedStatus(exchange, removed.object);
  return { ...respondJson(status, toGoJson(told), exchange.media), told };
}

/** Warns clients that rely on an unusual default, whether or not the object exists. */
export function warnOfPropagation({ resource, warnings }: ResourceExchange, options: DeleteOptions): void {
  const warning = (resource.rules as KindRules).deletion?.propagationWarning;
  if (warning === undefined || options.orphanDependents !== undefined || options.propagationPolicy !== undefined)
    return;
  warnings.add(warning);
}

/** Whether the deletion of this kind returns the object. */
function returnsObject({ resource }: ResourceExchange): boolean {
  return (resource.rules as KindRules).deletion?.returnsObject === true;
}

function removedStatus({ resource }: ResourceExchange, { metadata }: KubeObject): Status {
  const { group, resource: kind } = resource.qualified;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: {
      ...(metadata.name === undefined ? {} : { name: metadata.name }),
      ...(group === "" ? {} : { group }),
      kind,
      ...(metadata.uid === undefined ? {} : { uid: metadata.uid }),
    },
  };
}

/** The result of a deletion: the object is removed, or it is marked and still exists. */
export type Removed =
  | { readonly type: "gone"; readonly object: KubeObject }
  | { readonly type: "marked"; readonly object: KubeObject };

/** Deletes one object by name, with admission and preconditions. */
export async function removeObject(exchange: ResourceExchange, name: string, options: DeleteOptions): Promise<Removed> {
  const { resource, parts } = exchange;
  const key = requestedKey(exchange, name);
  for (;;) {
    const entry = parts.store.get(resource.storage, key);
    if (entry === undefined) throw apiErrors.notFound(resource.qualified, name);
    // An object that cannot be converted to the version of the request cannot be deleted in it.
    if (resource.conversion !== undefined) await present(resource, entry.object);
    checkPreconditions(exchange, entry.object, options);
    await admitDelete(exchange, name, { old: entry.object, options });
    if (parts.store.get(resource.storage, key) !== entry) continue;
    const removed = removeEntry(exchange, entry, options);
    await parts.store.settled();
    return removed;
  }
}

function checkPreconditions(
  { resource }: ResourceExchange,
  object: KubeObject,
  { preconditions }: DeleteOptions,
): void {
  if ((resource.rules as KindRules).deletion?.beginsItself === true) return checkOwn(resource, object, preconditions);
  const { name = "", uid, resourceVersion } = object.metadata;
  // Objects that two groups share are named by the group that stores them.
  const kind = { group: resource.storage === "events" ? "" : resource.group, resource: resource.kind };
  if (preconditions.uid !== undefined && preconditions.uid !== uid) {
    const why = `the UID in the precondition (${preconditions.uid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`;
    throw apiErrors.conflict(kind, name, why);
  }
  if (preconditions.resourceVersion !== undefined && preconditions.resourceVersion !== resourceVersion) {
    const why = `the ResourceVersion in the precondition (${preconditions.resourceVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`;
    throw apiErrors.conflict(kind, name, why);
  }
}

/** The precondition errors of kinds that start their deletion themselves. */
function checkOwn(
  { qualified }: ServedResource,
  { metadata: { name = "", uid = "", resourceVersion = "" } }: KubeObject,
  wanted: DeleteOptions["preconditions"],
): void {
  const compare = (what: string, given: string | undefined, actual: string): void => {
    if (given === undefined || given === actual) return;
    const why = `Precondition failed: ${what} in precondition: ${given}, ${what} in object meta: ${actual}`;
    throw apiErrors.conflict(qualified, name, why);
  };
  compare("UID", wanted.uid, uid);
  compare("ResourceVersion", wanted.resourceVersion, resourceVersion);
}

async function admitDelete(
  exchange: ResourceExchange,
  name: string,
  { old, options }: { old: KubeObject; options: DeleteOptions },
): Promise<void> {
  const request = admissionRequest(exchange, {
    operation: "DELETE",
    // A deletecollection does not name an object.
    name: exchange.info.verb === "deletecollection" ? "" : name,
    object: undefined,
    oldObject: old,
    options: options.object,
    dryRun: options.dryRun,
  });
  const { admission } = exchange.parts;
  const mutating = admission.mutate(request);
  if (mutating !== undefined) await mutating;
  const validating = admission.validate(request);
  if (validating !== undefined) await validating;
}

function removeEntry(exchange: ResourceExchange, entry: Entry, options: DeleteOptions): Removed {
  const { resource, context } = exchange;
  const { deletion } = resource.rules as KindRules;
  const old = entry.object;
  checkRemovable(exchange, old);
  if (isUnderWay(deletion, old)) return { type: "marked", object: old };
  const draft = cloneJson(old);
  const grace = graceOf(exchange, draft, options);
  if (grace === "pending") return { type: "marked", object: old };
  setFinalizers(draft, finalizersAfter(exchange, old, options));
  const isKept = draft.metadata.finalizers !== undefined || staysFor(deletion, old);
  if (grace === "none" && !isKept) return gone(exchange, entry, options);
  if (grace === "none") markDeleted(draft, context.now);
  deletion?.begin?.(draft, context);
  return mark(exchange, entry, { draft, isOver: grace === 0 && !isKept, options });
}

/** Kinds that start their deletion themselves are only marked at first, even without finalizers. */
function staysFor(deletion: KindRules["deletion"], old: KubeObject): boolean {
  const isFirst = deletion?.beginsItself === true && old.metadata.deletionTimestamp === undefined;
  return isFirst || deletion?.stays?.(old) === true;
}

/** Kinds that start their deletion themselves do so only once. */
function isUnderWay(deletion: KindRules["deletion"], old: KubeObject): boolean {
  if (old.metadata.deletionTimestamp === undefined || deletion?.beginsItself !== true) return false;
  return deletion.stays?.(old) === true;
}

/** A kind may reject a deletion. */
function checkRemovable({ resource, context }: ResourceExchange, old: KubeObject): void {
  const refusals = (resource.rules as KindRules).deletion?.validate?.(old, context) ?? [];
  if (refusals.length > 0) throw apiErrors.invalid(resource.qualifiedKind, old.metadata.name ?? "", refusals);
}

interface Mark {
  readonly draft: AnyDraft;
  /** Whether the object can be removed now. */
  readonly isOver: boolean;
  readonly options: DeleteOptions;
}

function mark(exchange: ResourceExchange, entry: Entry, { draft, isOver, options }: Mark): Removed {
  const { resource, context, parts } = exchange;
  const marked = resource.stored.decode(draft as never, undefined);
  if (options.dryRun) return { type: isOver ? "gone" : "marked", object: marked };
  if (isDeepEqual(marked, entry.object)) return { type: "marked", object: entry.object };
  const stored = parts.store.put(resource.storage, entry.key, marked);
  const event = { type: "updated", object: stored.object, old: entry.object } as const;
  (resource.rules as KindRules).stored?.(event, parts.writer, context);
  return isOver ? gone(exchange, stored, options) : { type: "marked", object: stored.object };
}

function gone({ resource, context, parts }: ResourceExchange, entry: Entry, { dryRun }: DeleteOptions): Removed {
  if (dryRun) return { type: "gone", object: entry.object };
  const removed = parts.store.remove(resource.storage, entry);
  (resource.rules as KindRules).stored?.({ type: "deleted", old: entry.object }, parts.writer, context);
  return { type: "gone", object: removed.object };
}

/** The grace period: none, a number of seconds, or that of an earlier deletion. */
type Grace = "none" | "pending" | number;

function graceOf(exchange: ResourceExchange, draft: AnyDraft, options: DeleteOptions): Grace {
  const { resource, context } = exchange;
  const rules = (resource.rules as KindRules).deletion;
  if (rules?.grace === undefined) return "none";
  const requested = positive(options.gracePeriodSeconds);
  const { metadata } = draft;
  if (metadata.deletionTimestamp !== undefined) return shortenGrace(draft, requested, context.now);
  const grace = rules.grace(draft, requested, context);
  if (grace === undefined) return "none";
  metadata.deletionTimestamp = plusSeconds(context.now, grace);
  metadata.deletionGracePeriodSeconds = grace;
  if ((metadata.generation ?? 0) > 0) metadata.generation = (metadata.generation ?? 0) + 1;
  return grace;
}

function positive(seconds: number | undefined): number | undefined {
  return seconds !== undefined && seconds < 0 ? 1 : seconds;
}

/** A second deletion can only shorten the grace period of the first. */
function shortenGrace({ metadata }: AnyDraft, requested: number | undefined, now: string): Grace {
  const current = metadata.deletionGracePeriodSeconds ?? 0;
  if (current === 0) return "none";
  if (requested === undefined || requested >= current) return "pending";
  const wanted = plusSeconds(metadata.deletionTimestamp ?? now, requested - current);
  const isPast = wanted < now;
  metadata.deletionTimestamp = isPast ? now : wanted;
  metadata.deletionGracePeriodSeconds = isPast && requested !== 0 ? 1 : requested;
  return metadata.deletionGracePeriodSeconds;
}

function plusSeconds(time: string, seconds: number): string {
  return formatTime(toMilliseconds(parseTime(time)) + seconds * 1000);
}

/** Marks an object that only its finalizers keep. */
function markDeleted({ metadata }: AnyDraft, now: string): void {
  if (metadata.deletionTimestamp === undefined && (metadata.generation ?? 0) > 0) {
    metadata.generation = (metadata.generation ?? 0) + 1;
  }
  if (metadata.deletionTimestamp === undefined || metadata.deletionTimestamp > now) metadata.deletionTimestamp = now;
  metadata.deletionGracePeriodSeconds = 0;
}

const orphanFinalizer = "orphan";
const foregroundFinalizer = "foregroundDeletion";

/** The finalizers, with those of the propagation policy for the garbage collector. */
function finalizersAfter(
  exchange: ResourceExchange,
  { metadata }: KubeObject,
  options: DeleteOptions,
): readonly string[] {
  const existing = metadata.finalizers ?? [];
  if ((exchange.resource.rules as KindRules).deletion?.propagation === "Unsupported") return existing;
  const propagation = propagationOf(exchange, existing, options);
  const others = existing.filter((one) => one !== orphanFinalizer && one !== foregroundFinalizer);
  if (propagation === "Background") return others.length === existing.length ? existing : others;
  const wanted = propagation === "Orphan" ? orphanFinalizer : foregroundFinalizer;
  return existing.length === others.length + 1 && existing.includes(wanted) ? existing : [...others, wanted];
}

/** The policy of the client, else that of the object's finalizers, else the default of the kind. */
function propagationOf(
  { resource, context }: ResourceExchange,
  existing: readonly string[],
  options: DeleteOptions,
): "Foreground" | Propagation {
  const { deletion } = resource.rules as KindRules;
  if (options.orphanDependents === true) return "Orphan";
  if (options.orphanDependents === false) return deletion?.notOrphaned ?? "Background";
  if (options.propagationPolicy !== undefined) return options.propagationPolicy;
  if (existing.includes(orphanFinalizer)) return "Orphan";
  if (existing.includes(foregroundFinalizer)) return "Foreground";
  const { propagation } = deletion ?? {};
  return (typeof propagation === "function" ? propagation(context) : propagation) ?? "Background";
}

function setFinalizers({ metadata }: AnyDraft, finalizers: readonly string[]): void {
  if (finalizers.length === 0) delete metadata.finalizers;
  else metadata.finalizers = [...finalizers];
}
