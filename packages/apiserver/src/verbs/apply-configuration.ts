/** Server-side apply: a configuration is read, merged into what is there, and read again as an object. */
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

/** What applying a configuration makes of an object of a kind. */
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

/** The real server reads it once more, strictly, when all the rest is done. */
function refuse(problems: StrictProblems | undefined): void {
  const [message] = problems?.refusals ?? [];
  if (message === undefined) return;
  throw apiErrors.badRequest(`error strict decoding YAML: error converting YAML to JSON: ${message}`);
}

/** Whoever applies what is there already changes only whose it is: no default of the version that he speaks comes in. */
function isOnlyOwned(merged: AnyDraft, live: KubeObject | undefined): boolean {
  const unowned = ({ metadata, ...rest }: AnyDraft | KubeObject): object => {
    const { managedFields: _, ...others } = metadata;
    return { ...rest, metadata: others };
  };
  return live !== undefined && isDeepEqual(unowned(merged), unowned(live));
}

/** Some fields of the server's own types are annotations for clients, and what stands there must fit as well. */
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

/** Owners that are sent along, and that nobody could read, are found out late. */
function checkSentOwners(kind: PatchedKind, merged: AnyDraft, configuration: JsonObject): void {
  const sent = (configuration["metadata"] as JsonObject | undefined)?.["managedFields"];
  if (sent === undefined) return;
  const whole = { ...merged, metadata: { ...merged.metadata, managedFields: sent } };
  decodeApplied(kind, whole as unknown as JsonValue, configuration);
}

/** The real server finds out late that a configuration does not fit, and takes it for its own fault. */
function decodeApplied(
  { codec, group, version, kind }: PatchedKind,
  merged: JsonValue,
  { metadata }: JsonObject,
): AnyDraft {
  try {
    return codec.decode(merged, undefined, "values");
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    const { name } = (metadata ?? {}) as { name?: string | null };
    // Nobody looks into embedded objects before the whole is validated.
    if (error instanceof FieldMismatch) throw apiErrors.invalid({ group, kind }, name ?? "", [error.error]);
    const qualified = `${group}/${version}, Kind=${kind}`;
    const why = `unable to convert unstructured object to ${qualified}: ${error.asConversion()}`;
    const message = `failed to convert new object (${namesOf(metadata)}; ${qualified}) to proper version: ${why}`;
    throw new StatusError(toFailure({ code: 500, reason: "", message }));
  }
}

/** The configuration that is applied. */
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

/** Configurations are YAML; what is JSON as well is read as JSON, because that is faster. */
function parseConfiguration(text: string, problems: StrictProblems | undefined): JsonValue {
  if (!text.trimStart().startsWith("{")) return parseYaml(text, problems);
  try {
    // What is no number for YAML is a text.
    if (firstBeyondFloat(text) !== undefined || mayHaveHalfPair(text)) return parseYaml(text, problems);
    const found = problems === undefined ? undefined : new StrictProblems();
    const value = parseJson(text, found);
    // What is there twice is told in the words of YAML.
    return found === undefined || found.messages.length === 0 ? value : parseYaml(text, problems);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return parseYaml(text, problems);
    throw error;
  }
}
