/** Documents that a patch has changed: merged, read as objects again, and shown where they are refused. */
import { apiErrors, cloneJson, fieldErrors, StatusError, toFailure, type Json, type KubeObject } from "@capstan/model";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  PatchError,
  type JsonObject,
  type PatchType,
} from "@capstan/patch";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { expectedOf, patchedKindProblem } from "../decode/object.ts";
import { showLiterals, withoutLiterals } from "../decode/number-literal.ts";
import { StrictProblems, TypeMismatch } from "../decode/strict.ts";
import type { ResourceExchange } from "../exchange.ts";
import { toStatusError } from "../managed/field-manager.ts";
import type { Codec, ServedResource } from "../resources/resource.ts";
import type { FieldValidation, WriteOptions } from "./options.ts";
import { kindOf, unsupportedForViews } from "./patch-kind.ts";
import { readPatch, type PatchRequest } from "./patch-text.ts";
import { showDocument, showStrategic, sortTouched } from "./shown-patch.ts";

/** Changes a document that is not stored itself, such as a Scale, in any way but by applying a configuration. */
export async function patchDocument(
  exchange: ResourceExchange,
  options: WriteOptions,
  { type, codec }: { readonly type: PatchType; readonly codec: Codec },
): Promise<(document: KubeObject) => AnyDraft> {
  const kind = kindOf(exchange);
  if (kind === "apply") throw unsupportedForViews();
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

/** The document with the patch in it. */
export function applyParsed(
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

/** What is known about a patch when its document is read. */
export interface Reading {
  readonly request: PatchRequest;
  readonly parsed: JsonValue;
  readonly live: KubeObject;
  readonly problems: StrictProblems | undefined;
}

/** The patched document as a draft with defaults. */
export function readPatched(exchange: ResourceExchange, document: Json, reading: Reading): AnyDraft {
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
  if (!resource.isCustom && isUnversioned(sorted)) return { draft: withoutFields(resource, sorted, found), shown };
  try {
    const value = resource.isCustom ? withoutLiterals(showLiterals(sorted)) : showLiterals(sorted);
    return { draft: resource.codec.decode(value as JsonValue, found, "text"), shown };
  } catch (error) {
    if (!(error instanceof TypeMismatch)) throw error;
    throw invalidPatch(shown(), error.message);
  }
}

function isUnversioned({ apiVersion }: JsonObject): boolean {
  return apiVersion === undefined || apiVersion === null || apiVersion === "";
}

/** What says no version is read as the type that the server itself works with, and there no field has the name that clients use. */
function withoutFields({ codec }: ServedResource, document: JsonObject, found: StrictProblems | undefined): AnyDraft {
  for (const field of Object.keys(document)) {
    if (field !== "kind" && field !== "apiVersion") found?.unknownField(field);
  }
  return codec.decode({}, undefined, "text");
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
