/** Metadata fields that the server sets: cleared when a body arrives, set when an object is created. */
import { apiErrors, toCanonicalJson, type ObjectMeta, type OwnerReference } from "@capstan/model";
import type { AnyDraft } from "../builtin/draft.ts";
import type { RuleContext } from "../builtin/context.ts";

/** Clears fields that a client must not set on a new object. */
export function wipeSystemFields({ metadata }: AnyDraft): void {
  delete metadata.creationTimestamp;
  delete metadata.uid;
  delete metadata.deletionTimestamp;
  delete metadata.deletionGracePeriodSeconds;
  delete metadata.selfLink;
}

/** Sets creation time and uid, and generates a name from `generateName`. */
export function fillSystemFields(draft: AnyDraft, context: RuleContext): void {
  const { name, generateName, namespace, ...rest } = draft.metadata;
  const isGenerated = (name ?? "") === "" && generateName !== undefined && generateName !== "";
  const { resourceVersion, generation, ...others } = rest;
  // Rebuilt, so that the fields have their order however the draft was created.
  const metadata: AnyDraft["metadata"] = {};
  const givenName = isGenerated ? generateNameFrom(generateName, context) : name;
  if (givenName !== undefined) metadata.name = givenName;
  if (generateName !== undefined) metadata.generateName = generateName;
  if (namespace !== undefined) metadata.namespace = namespace;
  metadata.uid = context.uid();
  if (resourceVersion !== undefined) metadata.resourceVersion = resourceVersion;
  if (generation !== undefined) metadata.generation = generation;
  metadata.creationTimestamp = context.now;
  draft.metadata = Object.assign(metadata, withoutSystemFields(others));
}

function withoutSystemFields(rest: AnyDraft["metadata"]): AnyDraft["metadata"] {
  const { uid: _uid, creationTimestamp: _creationTimestamp, ...others } = rest;
  return others;
}

/** No vowels and no similar-looking characters, to avoid accidental words. */
const suffixAlphabet = "bcdfghjklmnpqrstvwxz2456789";
const suffixLength = 5;
const maxGeneratedPrefix = 63 - suffixLength;

/** Generates a name from a prefix: truncated, with five random characters appended. */
export function generateNameFrom(prefix: string, context: Pick<RuleContext, "random">): string {
  let suffix = "";
  for (let index = 0; index < suffixLength; index++) {
    suffix += suffixAlphabet.charAt(context.random(suffixAlphabet.length));
  }
  return prefix.slice(0, maxGeneratedPrefix) + suffix;
}

/** Sets the namespace of the request, or throws if the object has another one. */
export function ensureNamespace(draft: AnyDraft, namespace: string): void {
  const own = draft.metadata.namespace ?? "";
  if (own === namespace) return;
  if (own !== "" && namespace !== "") {
    throw apiErrors.badRequest("the namespace of the provided object does not match the namespace sent on the request");
  }
  if (namespace === "") delete draft.metadata.namespace;
  else draft.metadata = insertNamespace(draft.metadata, namespace);
}

/** The namespace comes after name and generateName. */
function insertNamespace(metadata: AnyDraft["metadata"], namespace: string): AnyDraft["metadata"] {
  const { name, generateName, ...rest } = metadata;
  const result: AnyDraft["metadata"] = {};
  if (name !== undefined) result.name = name;
  if (generateName !== undefined) result.generateName = generateName;
  result.namespace = namespace;
  return Object.assign(result, rest);
}

/** Drops duplicate owner references; returns their uids. */
export function dropDuplicateOwners(draft: AnyDraft): string[] {
  const references = draft.metadata.ownerReferences;
  if (references === undefined || references.length < 2) return [];
  const kept: ObjectMeta["ownerReferences"] & OwnerReference[] = [];
  const duplicates: string[] = [];
  const seen = new Set<string>();
  for (const reference of references) {
    const content = toCanonicalJson(reference);
    if (seen.has(content)) duplicates.push(reference.uid);
    else kept.push(reference);
    seen.add(content);
  }
  if (duplicates.length > 0) draft.metadata.ownerReferences = kept;
  return duplicates;
}

/** The warning about dropped owner references. */
export function duplicateOwnersWarning(uids: readonly string[], afterAdmission: boolean): string {
  const where = afterAdmission
    ? ".metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: "
    : ".metadata.ownerReferences contains duplicate entries; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ";
  return where + uids.join(", ");
}
