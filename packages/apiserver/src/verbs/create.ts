/** create: stores a new object from a body. */
import { apiErrors, StatusError, toFailure, type FieldError, type GroupKind, type KubeObject } from "@capstan/model";
import type { Answer } from "../answer.ts";
import type { AnyDraft } from "../builtin/draft.ts";
import type { Allocation, KindRules } from "../builtin/rules.ts";
import { headerOf } from "../call.ts";
import { checkBodyFormat, expectedOf, readObject } from "../decode/object.ts";
import { respondObject } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import { checkMetadata, checkStandardFinalizers } from "../metadata/check.ts";
import {
  dropDuplicateOwners,
  duplicateOwnersWarning,
  ensureNamespace,
  fillSystemFields,
  generateNameFrom,
  wipeSystemFields,
} from "../metadata/system-fields.ts";
import { storageKey, type ServedResource } from "../resources/resource.ts";
import { expireLater } from "./expire.ts";
import { admissionRequest } from "./context.ts";
import { managerOf, parseWriteOptions, type WriteOptions } from "./options.ts";
import { checkedCodec, toChecked, toStored } from "./checked-version.ts";
import { inWrittenOrder } from "./written-order.ts";

/** Serves a POST to a collection. */
export async function create(exchange: ResourceExchange): Promise<Answer> {
  const { resource, query, call } = exchange;
  checkBodyFormat(exchange);
  const options = parseWriteOptions(query, "CreateOptions");
  const body = await readObject(exchange, expectedOf(resource), options.fieldValidation);
  wipeSystemFields(body);
  ensureNamespace(body, namespaceOf(exchange));
  warnAboutOwners(exchange, body, false);
  const origin = {
    manager: managerOf(options.fieldManager, headerOf(call, "user-agent") ?? ""),
    time: exchange.context.now,
  };
  const managed = resource.fieldManager?.update(undefined, body, origin) ?? body;
  const created = await storeNew(exchange, await toChecked(resource, managed), options);
  return respondObject(exchange, 201, created);
}

function namespaceOf({ resource, info }: ResourceExchange): string {
  return resource.namespaced ? info.namespace : "";
}

/** Drops duplicate owner references with a warning. */
export function warnAboutOwners(exchange: ResourceExchange, draft: AnyDraft, afterAdmission: boolean): void {
  const dropped = dropDuplicateOwners(draft);
  if (dropped.length > 0) exchange.warnings.add(duplicateOwnersWarning(dropped, afterAdmission));
}

/** How often a name is generated before the request fails. */
const nameAttempts = 8;

/** Admits, validates and stores a draft. Returns the stored object in the storage version. */
export async function storeNew(
  exchange: ResourceExchange,
  draft: AnyDraft,
  options: WriteOptions,
): Promise<KubeObject> {
  const request = admissionRequest(exchange, {
    operation: "CREATE",
    name: draft.metadata.name ?? "",
    object: draft,
    oldObject: undefined,
    options: options.object,
    dryRun: options.dryRun,
  });
  const { admission } = exchange.parts;
  const mutating = admission.mutate(request);
  if (mutating !== undefined) await mutating;
  const admitted = request.object ?? draft;
  warnAboutOwners(exchange, admitted, true);
  const isGenerated = (admitted.metadata.name ?? "") === "" && (admitted.metadata.generateName ?? "") !== "";
  fillSystemFields(admitted, exchange.context);
  return insert(exchange, admitted, {
    version: admitted.metadata.resourceVersion ?? "",
    isGenerated,
    dryRun: options.dryRun,
    validate: (object) => admission.validate({ ...request, object, name: object.metadata.name ?? "" }),
  });
}

/** kube-apiserver detects this in the storage layer, after all other checks, and returns 500. */
function versionOnCreate(): StatusError {
  const message = "resourceVersion should not be set on objects to be created";
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}

interface Insertion {
  /** The resourceVersion in the body. */
  readonly version: string;
  readonly isGenerated: boolean;
  readonly dryRun: boolean;
  /** Validating admission, which sees the prepared and validated object. */
  validate(object: AnyDraft): void | Promise<void>;
}

async function insert(exchange: ResourceExchange, draft: AnyDraft, insertion: Insertion): Promise<KubeObject> {
  const { resource, context, parts } = exchange;
  const rules = resource.rules as KindRules;
  const allocation = exchange.subresource === undefined ? allocate(exchange, rules, draft, undefined) : undefined;
  try {
    const checking = checkNew(exchange, rules, draft);
    const prepared = checking instanceof Promise ? await checking : checking;
    // Admission also sees fields that are given but empty; the object it gets has the order of its type.
    const validating = insertion.validate(draft);
    if (validating !== undefined) await validating;
    const checked = readBack(exchange, rules, prepared);
    const { version, isGenerated, dryRun } = insertion;
    if (version !== "" && !dryRun) throw versionOnCreate();
    const key = freeKey(exchange, checked, isGenerated);
    if (dryRun) {
      allocation?.release();
      if (version === "") delete checked.metadata.resourceVersion;
      else checked.metadata.resourceVersion = version;
    }
    const converting = toStored(resource, checked);
    const stored = converting instanceof Promise ? await converting : converting;
    if (dryRun) return stored;
    if (converting instanceof Promise) freeKey(exchange, checked, false);
    const entry = parts.store.put(resource.storage, key, stored);
    expireLater(exchange, entry);
    rules.stored?.({ type: "created", object: entry.object }, parts.writer, context);
    await parts.store.settled();
    return entry.object;
  } catch (error) {
    allocation?.release();
    throw error;
  }
}

/** Allocates unique values, or throws 422 with the errors. */
export function allocate(
  { resource, context }: ResourceExchange,
  rules: KindRules,
  draft: AnyDraft,
  old: KubeObject | undefined,
): Allocation | undefined {
  const taken = rules.allocate?.(draft, old, context);
  if (taken === undefined) return undefined;
  if ("release" in taken) return taken;
  if (taken.length > 0) throw apiErrors.invalid(resource.qualifiedKind, draft.metadata.name ?? "", taken);
  return undefined;
}

/** Prepares and validates a new object; returns it in its stored form. Returns a promise only on validation errors. */
function checkNew(exchange: ResourceExchange, rules: KindRules, draft: AnyDraft): AnyDraft | Promise<never> {
  const { resource, context, info, warnings } = exchange;
  ensureNamespace(draft, resource.namespaced ? info.namespace : "");
  // Rules may rely on a name; an empty one is rejected below.
  draft.metadata.name ??= "";
  rules.prepareForCreate?.(draft, context);
  const check = (): readonly FieldError[] => problemsOf({ resource, context }, rules, draft);
  const found = check();
  if (found.length > 0) return refuse(exchange, draft, { found, check });
  for (const warning of rules.warnings?.(draft, undefined, context) ?? []) warnings.add(warning);
  rules.canonicalize?.(draft);
  // A placeholder that keeps the position of the field; the store sets the real resourceVersion.
  draft.metadata.resourceVersion = "0";
  return checkedCodec(resource).decode(draft as never, undefined);
}

/** Rejects a draft with its validation errors. */
export async function refuse(
  exchange: ResourceExchange,
  draft: AnyDraft,
  objections: { found: readonly FieldError[]; check: () => readonly FieldError[] },
): Promise<never> {
  const found = await inWrittenOrder(exchange, draft, objections);
  throw apiErrors.invalid(kindOf(exchange.resource, draft), draft.metadata.name ?? "", found);
}

/** The new object as it is read back from the store. */
function readBack({ resource }: ResourceExchange, rules: KindRules, checked: AnyDraft): AnyDraft {
  if (rules.readBack === undefined) return checked;
  rules.readBack(checked);
  return checkedCodec(resource).decode(checked as never, undefined);
}

function problemsOf(
  { resource, context }: Pick<ResourceExchange, "resource" | "context">,
  rules: KindRules,
  draft: AnyDraft,
): readonly FieldError[] {
  const { metadata } = draft;
  const errors = [
    ...(rules.validatesMetadata === true
      ? []
      : [
          ...checkMetadata(metadata, resource.namespaced, rules.name ?? "dns-subdomain"),
          ...(rules.finalizers === "any" ? [] : checkStandardFinalizers(metadata)),
        ]),
    ...(rules.validateCreate?.(draft, context) ?? []),
  ];
  // Kinds validate metadata in different ways; every name must at least be valid in a path.
  return errors.length > 0 ? errors : checkMetadata(metadata, resource.namespaced, "path-segment");
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf("/");
  return slash < 0 ? "" : apiVersion.slice(0, slash);
}

/** The kind in errors: for custom objects, the kind in the object. */
function kindOf({ qualifiedKind, isCustom }: ServedResource, draft: AnyDraft): GroupKind {
  return isCustom ? { group: groupOf(draft.apiVersion), kind: draft.kind } : qualifiedKind;
}

/** The key of a new object. If it is taken, a generated name is generated again; any other name is rejected. */
function freeKey({ resource, context, parts }: ResourceExchange, draft: AnyDraft, isGenerated: boolean): string {
  const { metadata } = draft;
  const namespace = metadata.namespace ?? "";
  for (let attempt = 1; ; attempt++) {
    const name = metadata.name ?? "";
    const key = storageKey(resource, namespace, name);
    const existing = parts.store.get(resource.storage, key);
    if (existing === undefined) return key;
    if (!isGenerated || attempt === nameAttempts) throw takenError(resource.qualified, metadata, existing.object);
    metadata.name = generateNameFrom(metadata.generateName ?? "", context);
  }
}

/** With a generateName the error is about the generated name, even if a name was given as well. */
function takenError(
  qualified: { group: string; resource: string },
  { name = "", generateName = "" }: AnyDraft["metadata"],
  existing: KubeObject,
): StatusError {
  const isPrefixed = generateName !== "";
  const error = isPrefixed
    ? apiErrors.generateNameConflict(qualified, name, 1)
    : apiErrors.alreadyExists(qualified, name);
  if (existing.metadata.deletionTimestamp === undefined) return error;
  return new StatusError({ ...error.status, message: `object is being deleted: ${error.message}` });
}
