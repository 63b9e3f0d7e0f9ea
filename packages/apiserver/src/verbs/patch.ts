/** patch: a change of one of four forms, applied to whatever is there. */
import { apiErrors, cloneJson, fieldErrors, StatusError, toFailure, type Json, type KubeObject } from "@capstan/model";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  checkJsonPatchFields,
  PatchError,
  type JsonObject,
  type PatchType,
} from "@capstan/patch";
import type { Answer } from "../answer.ts";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { headerOf } from "../call.ts";
import { JsonSyntaxError, parseJson, parseJsonLiterals } from "../decode/json-text.ts";
import { expectedOf, patchedKindProblem } from "../decode/object.ts";
import { unsupportedMediaType } from "../decode/media-type.ts";
import { firstBeyondFloat, hideLiterals, showLiterals, withoutLiterals } from "../decode/number-literal.ts";
import { StrictProblems, TypeMismatch } from "../decode/strict.ts";
import { parseYaml, YamlSyntaxError } from "../decode/yaml-text.ts";
import { respondObject } from "../encode/respond.ts";
import type { ResourceExchange } from "../exchange.ts";
import type { Codec, ServedResource } from "../resources/resource.ts";
import { toStatusError } from "../managed/field-manager.ts";
import { ensureNamespace } from "../metadata/system-fields.ts";
import { managerOf, parseWriteOptions, type FieldValidation, type WriteOptions } from "./options.ts";
import { showDocument, showStrategic, sortTouched } from "./shown-patch.ts";
import { unparsableVersion, write, type Change } from "./write.ts";

/** What is merged without a strategy has no type that would tell one. */
const noType: PatchType = { kind: "map" };

/** The forms of a patch. */
type PatchKind = "json" | "merge" | "strategic" | "apply";

const kinds: Readonly<Record<string, PatchKind>> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
  "application/apply-patch+yaml": "apply",
};

const customPatches = Object.keys(kinds).filter((type) => kinds[type] !== "strategic");

/** Answers a PATCH of an object or of a view of it. */
export async function patch(exchange: ResourceExchange): Promise<Answer> {
  const kind = kindOf(exchange);
  const body = await exchange.call.body();
  const options = parseWriteOptions(exchange.query, "PatchOptions", kind === "apply");
  const text = Buffer.from(body).toString("utf8");
  const { object, created } = await write(exchange, {
    name: exchange.info.name,
    options,
    createsMissing: kind === "apply",
    uid: "",
    change: checked(
      exchange,
      kind === "apply" ? applied(exchange, text, options) : patched(exchange, { kind, text, options }),
    ),
  });
  return respondObject(exchange, created ? 201 : 200, object);
}

function kindOf({ call, resource }: ResourceExchange): PatchKind {
  const type = (headerOf(call, "content-type") ?? "").split(";")[0]?.trim() ?? "";
  const kind = kinds[type];
  if (kind === "strategic" && resource.isCustom) throw unsupportedMediaType(customPatches);
  if (kind !== undefined) return kind;
  const message = "415: Unsupported Media Type";
  throw new StatusError(toFailure({ code: 415, reason: "UnsupportedMediaType", message, details: {} }));
}

/** Whether a request applies a configuration. */
export function isApply(exchange: ResourceExchange): boolean {
  return kindOf(exchange) === "apply";
}

/** Changes a document that is not stored itself, such as a Scale, in any way but by applying a configuration. */
export async function patchDocument(
  exchange: ResourceExchange,
  options: WriteOptions,
  { type, codec }: { readonly type: PatchType; readonly codec: Codec },
): Promise<(document: KubeObject) => AnyDraft> {
  const kind = kindOf(exchange);
  if (kind === "apply") throw unsupportedMediaType(customPatches.filter((type) => kinds[type] !== "apply"));
  const text = Buffer.from(await exchange.call.body()).toString("utf8");
  const problems = options.fieldValidation === "Ignore" ? undefined : new StrictProblems();
  const parsed = readPatch({ kind, text, options }, problems);
  return (live) => {
    const document = applyParsed(type, kind, { live, parsed });
    const shown = (): string =>
      kind === "strategic"
        ? showStrategic(parsed, live)
        : showDocument(sortTouched(document as JsonObject, kind, parsed));
    const found = problems === undefined ? undefined : new StrictProblems();
    const draft = decodeDocument(codec, document, { isStrategic: kind === "strategic", found, shown });
    const messages = [...(problems?.messages ?? []), ...(found?.messages ?? [])];
    settle(messages, { validation: options.fieldValidation, shown, warnings: exchange.warnings });
    return draft;
  };
}

interface DocumentReading {
  readonly isStrategic: boolean;
  readonly found: StrictProblems | undefined;
  readonly shown: () => string;
}

function decodeDocument(codec: Codec, document: Json, { isStrategic, found, shown }: DocumentReading): AnyDraft {
  try {
    const value = showLiterals(cloneJson(document)) as JsonValue;
    return codec.decode(value, found, isStrategic ? "values" : "text");
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw invalidPatch(shown(), isStrategic ? error.asConversion() : error.message);
  }
}

/** What a patch makes must still be the object of the path. */
function checked({ resource, info }: ResourceExchange, change: Change): Change {
  return async (live) => {
    const draft = await change(live);
    if (live === undefined && (draft.metadata.uid ?? "") !== "") {
      const why = `uid mismatch: the provided object specified uid ${draft.metadata.uid}, and no existing object was found`;
      throw apiErrors.conflict(resource.qualified, info.name, why);
    }
    if (live === undefined) dropVersion(draft);
    ensureNamespace(draft, resource.namespaced ? info.namespace : "");
    checkName(draft.metadata.name ?? "", info.name);
    return draft;
  };
}

/** Nothing is there whose version could be meant, but a version it must be. */
function dropVersion({ metadata }: AnyDraft): void {
  const { resourceVersion = "" } = metadata;
  if (!/^[0-9]*$/.test(resourceVersion)) throw unparsableVersion(resourceVersion);
  delete metadata.resourceVersion;
}

function checkName(name: string, urlName: string): void {
  if (name === urlName) return;
  throw apiErrors.badRequest(
    name === ""
      ? `the name of the object (${urlName} based on URL) was undeterminable: name must be provided`
      : `the name of the object (${name}) does not match the name on the URL (${urlName})`,
  );
}

/** Server-side apply. */
function applied(
  { resource, subresource, warnings, context }: ResourceExchange,
  text: string,
  options: WriteOptions,
): Change {
  const manager = (subresource ?? resource).fieldManager;
  const problems = options.fieldValidation === "Ignore" ? undefined : new StrictProblems();
  const configuration = readApplied(text, problems);
  return (live) => {
    const origin = { manager: options.fieldManager, time: context.now, force: options.force === true };
    if (manager === undefined) throw apiErrors.internalError(`apply is not served for ${resource.resource}`);
    const merged = manager.apply(live, configuration, origin);
    checkSentOwners(resource, merged, configuration);
    const draft = decodeApplied(resource, merged as unknown as JsonValue, configuration);
    resource.codec.defaults(draft);
    for (const message of problems?.refusals ?? []) {
      if (options.fieldValidation === "Strict") throw apiErrors.badRequest(`error strict decoding YAML: ${message}`);
      warnings.add(message);
    }
    return draft;
  };
}

/** Owners that are sent along, and that nobody could read, are found out late. */
function checkSentOwners(resource: ServedResource, merged: AnyDraft, configuration: JsonObject): void {
  const sent = (configuration["metadata"] as JsonObject | undefined)?.["managedFields"];
  if (sent === undefined) return;
  const whole = { ...merged, metadata: { ...merged.metadata, managedFields: sent } };
  decodeApplied(resource, whole as unknown as JsonValue, configuration);
}

/** The real server finds out late that a configuration does not fit, and takes it for its own fault. */
function decodeApplied(
  { codec, group, version, kind }: ServedResource,
  merged: JsonValue,
  { metadata }: JsonObject,
): AnyDraft {
  try {
    return codec.decode(merged, undefined, "values");
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    const { namespace, name } = (metadata ?? {}) as { namespace?: string | null; name?: string | null };
    const qualified = `${group}/${version}, Kind=${kind}`;
    const why = `unable to convert unstructured object to ${qualified}: ${error.asConversion()}`;
    const message = `failed to convert new object (${namespace ?? ""}/${name ?? ""}; ${qualified}) to proper version: ${why}`;
    throw new StatusError(toFailure({ code: 500, reason: "", message }));
  }
}

/** The configuration that is applied. */
export function readApplied(text: string, problems: StrictProblems | undefined): JsonObject {
  try {
    const value = parseConfiguration(text, problems);
    if (value === null) return {};
    if (typeof value !== "object" || Array.isArray(value)) throw notAMap(value);
    return value as JsonObject;
  } catch (error) {
    if (error instanceof TypeMismatch) {
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
    if (firstBeyondFloat(text) !== undefined) return parseYaml(text, problems);
    return parseJson(text, problems);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return parseYaml(text, problems);
    throw error;
  }
}

function notAMap(value: JsonValue): TypeMismatch {
  const type = Array.isArray(value) ? "array" : typeof value === "boolean" ? "bool" : typeof value;
  return new TypeMismatch(`json: cannot unmarshal ${type} into Go value of type map[string]interface {}`);
}

interface PatchRequest {
  readonly kind: "json" | "merge" | "strategic";
  readonly text: string;
  readonly options: WriteOptions;
}

/** The three forms that change the object as a document. */
function patched(exchange: ResourceExchange, request: PatchRequest): Change {
  const { resource, subresource, call, context, info } = exchange;
  const problems = request.options.fieldValidation === "Ignore" ? undefined : new StrictProblems();
  const manager = (subresource ?? resource).fieldManager;
  const user = managerOf(request.options.fieldManager, headerOf(call, "user-agent") ?? "");
  let known: JsonValue | undefined;
  return (live) => {
    if (live === undefined) throw apiErrors.notFound(resource.qualified, info.name);
    const parsed = (known ??= readPatch(request, problems));
    // Custom kinds have no such patches, and so no such types.
    const type = request.kind === "strategic" ? resource.patchType() : noType;
    const document = applyParsed(type, request.kind, { live, parsed });
    const draft = readPatched(exchange, document, { request, parsed, live, problems });
    return manager?.update(live, draft, { manager: user, time: context.now }) ?? draft;
  };
}

/** Reads the text of a patch; its unknown and duplicate fields are collected. */
function readPatch({ kind, text, options }: PatchRequest, problems: StrictProblems | undefined): JsonValue {
  const isChecked = options.fieldValidation !== "Ignore";
  try {
    // A strategic patch knows numbers only, the others carry over what they say.
    const value = kind === "strategic" ? parseJson(text, problems) : hidden(parseJsonLiterals(text, problems));
    if (kind === "strategic" || isChecked) checkFloats(text, kind);
    if (kind === "json" && isChecked) {
      for (const message of checkJsonPatchFields(value as Json)) problems?.message(message);
    }
    if (kind !== "json" && !isMergeable(value, kind, isChecked)) throw notAMap(value);
    return value;
  } catch (error) {
    if (error instanceof JsonSyntaxError || error instanceof TypeMismatch) {
      throw apiErrors.badRequest(unreadable(error.message, kind, isChecked));
    }
    if (error instanceof PatchError) throw toStatusError(error.code, error.message);
    throw error;
  }
}

/** Whoever looks at the fields of a patch reads its numbers as well. */
function checkFloats(text: string, kind: PatchRequest["kind"]): void {
  const literal = firstBeyondFloat(text);
  if (literal === undefined) return;
  const place = kind === "json" ? "Go struct field jsonPatchOp.value" : "Go value";
  throw new TypeMismatch(`json: cannot unmarshal number ${literal} into ${place} of type float64`);
}

/** A merge patch that nobody has looked at may be a list: it takes the place of the object. */
function isMergeable(value: JsonValue, kind: "merge" | "strategic", isChecked: boolean): boolean {
  if (value === null && kind === "merge") throw apiErrors.badRequest("Invalid JSON Patch");
  return typeof value === "object" && (!Array.isArray(value) || (kind === "merge" && !isChecked));
}

/** Why a patch cannot be read: whoever looks at its fields first says more. */
function unreadable(why: string, kind: PatchRequest["kind"], isChecked: boolean): string {
  if (kind === "strategic") return why;
  if (isChecked) return `error decoding patch: ${why}`;
  return kind === "merge" ? "Invalid JSON Patch" : why;
}

function hidden(value: JsonValue): JsonValue {
  return hideLiterals(value) as JsonValue;
}

function applyParsed(
  type: PatchType,
  kind: PatchRequest["kind"],
  { live, parsed }: { live: KubeObject; parsed: JsonValue },
): Json {
  const document = live as unknown as JsonObject;
  try {
    switch (kind) {
      case "json":
        return applyJsonPatch(document, parsed as Json);
      case "merge":
        return applyMergePatch(document, (parsed ?? {}) as Json);
      case "strategic":
        return applyStrategicPatch(document, (parsed ?? {}) as JsonObject, type);
    }
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw error.code === "Unprocessable" ? unprocessable() : toStatusError(error.code, error.message);
  }
}

/** A patch that does not fit is refused without saying why, as the real server does. */
function unprocessable(): StatusError {
  const message = "the server rejected our request due to an error in our request";
  return new StatusError(toFailure({ code: 422, reason: "Invalid", message, details: {} }));
}

interface Reading {
  readonly request: PatchRequest;
  readonly parsed: JsonValue;
  readonly live: KubeObject;
  readonly problems: StrictProblems | undefined;
}

/** The patched document as a draft with defaults. */
function readPatched(exchange: ResourceExchange, document: Json, reading: Reading): AnyDraft {
  const { resource, warnings } = exchange;
  const { request, problems } = reading;
  const found = problems === undefined ? undefined : new StrictProblems();
  const { draft, shown } =
    request.kind === "strategic"
      ? readMerged(resource, document, { ...reading, found })
      : readDocument(exchange, document, { ...reading, kind: request.kind, found });
  const messages = [...(problems?.messages ?? []), ...(found?.messages ?? [])];
  settle(messages, { validation: request.options.fieldValidation, shown, warnings });
  resource.codec.defaults(draft);
  return draft;
}

/** What was read, and how the patch is shown if it is refused all the same. */
interface PatchedDraft {
  readonly draft: AnyDraft;
  readonly shown: () => string;
}

/** What a strategic patch makes is converted value by value. */
function readMerged(
  { codec }: ServedResource,
  document: Json,
  { parsed, live, found }: Reading & { readonly found: StrictProblems | undefined },
): PatchedDraft {
  const shown = (): string => showStrategic(parsed, live);
  try {
    return { draft: codec.decode(cloneJson(document) as JsonValue, found, "values"), shown };
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw invalidPatch(shown(), error.asConversion());
  }
}

/** What other patches make is a text, and read as one. */
function readDocument(
  { resource, parts }: ResourceExchange,
  document: Json,
  { kind, parsed, found }: Reading & { readonly kind: "json" | "merge"; readonly found: StrictProblems | undefined },
): PatchedDraft {
  const sorted = sortTouched(document as JsonObject, kind, parsed);
  const shown = (): string => showDocument(sorted);
  const described = { expected: expectedOf(resource), text: shown() };
  const problem = patchedKindProblem(parts.registry, document as JsonValue, described);
  if (problem !== undefined) throw invalidPatch(shown(), problem);
  try {
    const value = resource.isCustom ? withoutLiterals(showLiterals(sorted)) : showLiterals(sorted);
    return { draft: resource.codec.decode(value as JsonValue, found, "text"), shown };
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw invalidPatch(shown(), error.message);
  }
}

function settle(
  messages: readonly string[],
  { validation, shown, warnings }: { validation: FieldValidation; shown: () => string; warnings: Set<string> },
): void {
  if (messages.length === 0) return;
  if (validation === "Strict") throw invalidPatch(shown(), `strict decoding error: ${messages.join(", ")}`);
  for (const message of messages) warnings.add(message);
}

function invalidPatch(shown: string, why: string): StatusError {
  return apiErrors.invalid({ group: "", kind: "" }, "", [fieldErrors.invalid("patch", shown, why)]);
}
