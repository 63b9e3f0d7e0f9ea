/** create: a body becomes a stored object. */
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

/** Answers a POST to a collection. */
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

/** Drops owner references that occur twice and says so. */
export function warnAboutOwners(exchange: ResourceExchange, draft: AnyDraft, afterAdmission: boolean): void {
  const dropped = dropDuplicateOwners(draft);
  if (dropped.length > 0) exchange.warnings.add(duplicateOwnersWarning(dropped, afterAdmission));
}

/** How often a name is drawn before the server gives up. */
const nameAttempts = 8;

/** Admits, checks and stores a draft. Answers with what was stored, in the stored version. */
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

/** The store finds this out after everything else, and has no better words for it. */
function versionOnCreate(): StatusError {
  const message = "resourceVersion should not be set on objects to be created";
  return new StatusError(toFailure({ code: 500, reason: "", message }));
}

interface Insertion {
  /** The resourceVersion that the body came with. */
  readonly version: string;
  readonly isGenerated: boolean;
  readonly dryRun: boolean;
  /** The other half of admission, which sees what was prepared and checked. */
  validate(object: AnyDraft): void | Promise<void>;
}

async function insert(exchange: ResourceExchange, draft: AnyDraft, insertion: Insertion): Promise<KubeObject> {
  const { resource, context, parts } = exchange;
  const rules = resource.rules as KindRules;
  const allocation = exchange.subresource === undefined ? allocate(exchange, rules, draft, undefined) : undefined;
  try {
    const checking = checkNew(exchange, rules, draft);
    const prepared = checking instanceof Promise ? await checking : checking;
    // It sees what was given and is empty as well; what is shown of it comes in order.
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

/** Takes what must be unique, or refuses with what could not be had. */
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

/** Prepares and checks a new object; answers with it in its one stored form. Refusals take their time. */
function checkNew(exchange: ResourceExchange, rules: KindRules, draft: AnyDraft): AnyDraft | Promise<never> {
  const { resource, context, info, warnings } = exchange;
  ensureNamespace(draft, resource.namespaced ? info.namespace : "");
  // Rules may trust that there is a name; one that is empty is refused below.
  draft.metadata.name ??= "";
  rules.prepareForCreate?.(draft, context);
  const check = (): readonly FieldError[] => problemsOf({ resource, context }, rules, draft);
  const found = check();
  if (found.length > 0) return refuse(exchange, draft, { found, check });
  for (const warning of rules.warnings?.(draft, undefined, context) ?? []) warnings.add(warning);
  rules.canonicalize?.(draft);
  // A version keeps its place among the fields; the store puts in the real one.
  draft.metadata.resourceVersion = "0";
  return checkedCodec(resource).decode(draft as never, undefined);
}

/** Refuses a draft for what was found in it. */
export async function refuse(
  exchange: ResourceExchange,
  draft: AnyDraft,
  objections: { found: readonly FieldError[]; check: () => readonly FieldError[] },
): Promise<never> {
  const found = await inWrittenOrder(exchange, draft, objections);
  throw apiErrors.invalid(kindOf(exchange.resource, draft), draft.metadata.name ?? "", found);
}

/** A new object as it is read back from the store. */
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
  // Kinds look at the metadata in their own ways; whatever they let pass must still do for a path.
  return errors.length > 0 ? errors : checkMetadata(metadata, resource.namespaced, "path-segment");
}

/** The kind that refusals name: custom objects are called what they call themselves. */
function kindOf({ qualifiedKind, isCustom }: ServedResource, draft: AnyDraft): GroupKind {
  return isCustom ? { ...qualifiedKind, kind: draft.kind } : qualifiedKind;
}

/** The key for a new object. A generated name that is taken is drawn again; any other name that is taken is refused. */
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

/** Whoever gave a prefix is told that no name was found, even if a name was given as well. */
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
