/** Server-side apply: a configuration is parsed, merged into the live object, and decoded as an object. */
import { apiErrors, isDeepEqual, StatusError, toFailure, type Json, type KubeObject } from "@capstan/model";
import type { JsonObject } from "@capstan/patch";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { JsonSyntaxError, parseJson } from "../decode/json-text.ts";
import { firstBeyondFloat } from "../decode/number-literal.ts";
import { FieldMismatch, StrictProblems, TypeMismatchError } from "../decode/strict.ts";
import { mayHaveHalfPair } from "../decode/yaml-escape.ts";
import { parseYaml, YamlSyntaxError } from "../decode/yaml-text.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { WriteOptions } from "./options.ts";
import { notAMap } from "./patch-text.ts";
import type { PatchedKind } from "./patched-kind.ts";
import type { Change } from "./write.ts";

/** The change that applies a configuration to an object of a kind. */
export function applied(
  { resource, warnings, context }: ResourceExchange,
  kind: PatchedKind,
  { text, options }: { readonly text: string; readonly options: WriteOptions },
): Change {
  const manager = kind.fieldManager;
  const problems = options.fieldValidation === "Ignore" ? undefined : new StrictProblems();
  const configuration = readApplied(text, problems);
  return (live) => {
    const origin = { manager: options.fieldManager, time: context.now, force: options.force === true };
    if (manager === undefined) throw apiErrors.internalError(`apply is not served for ${resource.resource}`);
    const merged = manager.apply(live, configuration, origin);
    checkSentOwners(kind, merged, configuration);
    const draft = decodeApplied(kind, merged as unknown as JsonValue, configuration);
    if (!kind.isCustom || !isOnlyOwned(merged, live)) setDefaults(kind, draft, configuration);
    if (options.fieldValidation === "Strict") refuse(problems);
    for (const message of problems?.messages ?? []) warnings.add(message);
    return draft;
  };
}

/** kube-apiserver decodes the configuration again, strictly, at the end. */
function refuse(problems: StrictProblems | undefined): void {
  const [message] = problems?.refusals ?? [];
  if (message === undefined) return;
  throw apiErrors.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${message}`);
}

/** Whether the apply changes only managed fields: then no defaults of the requested version are set. */
function isOnlyOwned(merged: AnyDraft, live: KubeObject | undefined): boolean {
  const unowned = ({ metadata, ...rest }: AnyDraft | KubeObject): object => {
    const { managedFields: _, ...others } = metadata;
    return { ...rest, metadata: others };
  };
  return live !== undefined && isDeepEqual(unowned(merged), unowned(live));
}

/** Defaulting also decodes annotations that mirror fields of the internal types, so it may fail. */
function setDefaults({ codec, group, version, kind }: PatchedKind, draft: AnyDraft, { metadata }: JsonObject): void {
  try {
    codec.defaults(draft);
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    const what = `${namesOf(metadata)}; ${group}/${version}, Kind=${kind}`;
    const message = `failed to convert to unversioned (${what}): ${error.message}`;
    throw new StatusError(toFailure({ code: 500, reason: "", message }));
  }
}

function namesOf(metadata: Json | undefined): string {
  const { namespace, name } = (metadata ?? {}) as { namespace?: string | null; name?: string | null };
  return `${namespace ?? ""}/${name ?? ""}`;
}

/** Checks `managedFields` in the configuration; kube-apiserver rejects invalid ones only after the merge. */
function checkSentOwners(kind: PatchedKind, merged: AnyDraft, configuration: JsonObject): void {
  const sent = (configuration["metadata"] as JsonObject | undefined)?.["managedFields"];
  if (sent === undefined) return;
  const whole = { ...merged, metadata: { ...merged.metadata, managedFields: sent } };
  decodeApplied(kind, whole as unknown as JsonValue, configuration);
}

/** kube-apiserver decodes the result after the merge, and fails with an internal error if a type does not fit. */
function decodeApplied(
  { codec, group, version, kind, isCustom }: Pick<PatchedKind, "codec" | "group" | "version" | "kind" | "isCustom">,
  merged: JsonValue,
  { metadata }: JsonObject,
): AnyDraft {
  try {
    return codec.decode(merged, undefined, "values");
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    const readable = isCustom ? withoutSystemFields(merged) : undefined;
    if (readable !== undefined) return decodeApplied({ codec, group, version, kind, isCustom }, readable, { metadata });
    const { name } = (metadata ?? {}) as { name?: string | null };
    // Embedded objects are checked by validation only.
    if (error instanceof FieldMismatch) throw apiErrors.invalid({ group, kind }, name ?? "", [error.error]);
    const qualified = `${group}/${version}, Kind=${kind}`;
    const why = `unable to convert unstructured object to ${qualified}: ${error.asConversion()}`;
    const message = `failed to convert new object (${namesOf(metadata)}; ${qualified}) to proper version: ${why}`;
    throw new StatusError(toFailure({ code: 500, reason: "", message }));
  }
}

/** Fields that the server sets whatever an applied custom object says, also if it says something of the wrong type. */
const systemFields = ["creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation"] as const;

/** The object without these fields; `undefined` if it has none of them. */
function withoutSystemFields(merged: JsonValue): JsonValue | undefined {
  const { metadata } = merged as { readonly metadata?: JsonObject };
  if (metadata === undefined || !systemFields.some((field) => metadata[field] !== undefined)) return undefined;
  const rest = Object.entries(metadata).filter(([field]) => !systemFields.some((one) => one === field));
  return { ...(merged as object), metadata: Object.fromEntries(rest) } as JsonValue;
}

function readApplied(text: string, problems: StrictProblems | undefined): JsonObject {
  try {
    const value = parseConfiguration(text, problems);
    if (value === null) return {};
    if (typeof value !== "object" || Array.isArray(value)) throw notAMap(value);
    return value as JsonObject;
  } catch (error) {
    if (error instanceof TypeMismatchError) {
      throw apiErrors.badRequest(`error decoding YAML: error unmarshaling JSON: while decoding JSON: ${error.message}`);
    }
    if (!(error instanceof YamlSyntaxError)) throw error;
    throw apiErrors.badRequest(`error decoding YAML: error converting YAML to JSON: ${error.message}`);
  }
}

/** Configurations are YAML. Those that are JSON as well are parsed as JSON, which is faster. */
function parseConfiguration(text: string, problems: StrictProblems | undefined): JsonValue {
  if (!text.trimStart().startsWith("{")) return parseYaml(text, problems);
  try {
    // A number that YAML cannot represent is a string.
    if (firstBeyondFloat(text) !== undefined || mayHaveHalfPair(text)) return parseYaml(text, problems);
    const found = problems === undefined ? undefined : new StrictProblems();
    const value = parseJson(text, found);
    // Duplicate fields are reported with the message of the YAML parser.
    return found === undefined || found.messages.length === 0 ? value : parseYaml(text, problems);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return parseYaml(text, problems);
    throw error;
  }
}
