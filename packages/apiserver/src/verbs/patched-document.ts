/** Patched documents: merged, decoded as objects, and printed in errors. */
import {
  apiErrors,
  cloneJson,
  fieldErrors,
  parseApiVersion,
  StatusError,
  toFailure,
  type Json,
  type KubeObject,
} from "@capstan/model";
import {
  applyJsonPatch,
  applyMergePatch,
  applyStrategicPatch,
  PatchError,
  type JsonObject,
  type PatchType,
} from "@capstan/patch";
import type { AnyDraft, JsonValue } from "../builtin/draft.ts";
import { noVersion, patchedKindProblem } from "../decode/object.ts";
import { showLiterals, withoutLiterals } from "../decode/number-literal.ts";
import { StrictProblems, TypeMismatchError } from "../decode/strict.ts";
import type { ResourceExchange } from "../exchange.ts";
import { toStatusError } from "../managed/field-manager.ts";
import type { FieldValidation } from "./options.ts";
import type { PatchRequest } from "./patch-text.ts";
import type { PatchedKind } from "./patched-kind.ts";
import { showDocument, showStrategic, sortTouched } from "./shown-patch.ts";

/** Applies the patch to the document. */
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

/** A patch that cannot be applied is rejected without a reason, as in kube-apiserver. */
function unprocessable(): StatusError {
  const message = "the server rejected our request due to an error in our request";
  return new StatusError(toFailure({ code: 422, reason: "Invalid", message, details: {} }));
}

/** The context of a patch when its document is decoded. */
export interface Reading {
  readonly kind: PatchedKind;
  readonly request: PatchRequest;
  readonly parsed: JsonValue;
  readonly live: KubeObject;
  readonly problems: StrictProblems | undefined;
}

/** Decodes the patched document to a draft with defaults. */
export function readPatched(exchange: ResourceExchange, document: Json, reading: Reading): AnyDraft {
  const { kind, request, problems } = reading;
  const found = problems === undefined ? undefined : new StrictProblems();
  const { draft, shown } =
    request.kind === "strategic"
      ? readMerged(document, { ...reading, found })
      : readDocument(document, { ...reading, form: request.kind, found });
  const messages = [...(problems?.messages ?? []), ...(found?.messages ?? [])];
  settle(messages, { validation: request.options.fieldValidation, shown, warnings: exchange.warnings });
  try {
    kind.codec.defaults(draft);
    return draft;
  } catch (error) {
    throw error instanceof TypeMismatchError
      ? toInternalRefusal(error, request.kind === "strategic" ? undefined : shown)
      : error;
  }
}

/** An error of the conversion to the internal type: a strategic patch then fails with 500. */
function toInternalRefusal({ message }: TypeMismatchError, shown: (() => string) | undefined): StatusError {
  return shown === undefined
    ? new StatusError(toFailure({ code: 500, reason: "", message }))
    : invalidPatch(shown(), message);
}

/** The draft, and the patch as errors print it. */
interface PatchedDraft {
  readonly draft: AnyDraft;
  readonly shown: () => string;
}

/** The result of a strategic patch is converted value by value. */
function readMerged(
  document: Json,
  { kind: { codec }, parsed, live, found }: Reading & { readonly found: StrictProblems | undefined },
): PatchedDraft {
  const shown = (): string => showStrategic(parsed, live);
  try {
    const draft = codec.decode(cloneJson(document) as JsonValue, found, "values");
    found?.sortByWords();
    return { draft, shown };
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    throw invalidPatch(shown(), error.asConversion());
  }
}

interface DocumentReading extends Reading {
  readonly form: "json" | "merge";
  readonly found: StrictProblems | undefined;
}

/** The result of other patches is decoded as a text. */
function readDocument(document: Json, { kind, form, parsed, live, found }: DocumentReading): PatchedDraft {
  const sorted = sortTouched(document as JsonObject, form, parsed);
  const shown = (): string => showDocument(sorted);
  const described = { expected: kind, text: shown() };
  const problem = patchedKindProblem(document as JsonValue, described);
  if (problem !== undefined) throw invalidPatch(shown(), problem);
  const hasInternalType = !kind.isCustom && kind.isAlone !== true;
  if (hasInternalType && isUnversioned(sorted)) return { draft: withoutFields(kind, sorted, found), shown };
  try {
    if (kind.isCustom)
      return { draft: readCustom(withoutLiterals(showLiterals(sorted)) as JsonObject, { kind, live, found }), shown };
    const draft = kind.codec.decode(showLiterals(sorted) as JsonValue, found, "text");
    found?.orderBy(sorted as JsonValue);
    return { draft, shown };
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    throw invalidPatch(shown(), error.message);
  }
}

/** A patch may change kind and version; then unknown fields are those of the other version, and another kind has none. */
function readCustom(
  value: JsonObject,
  { kind, live, found }: Pick<DocumentReading, "kind" | "live" | "found">,
): AnyDraft {
  const apiVersion = value["apiVersion"];
  const isUnnamed = isUnversioned(value) || apiVersion === "/";
  const metadata = value["metadata"] as { readonly resourceVersion?: unknown } | null | undefined;
  // A stale version is noticed before the missing one.
  if (isUnnamed && metadata?.resourceVersion === live.metadata.resourceVersion)
    throw apiErrors.internalError(noVersion);
  const isKind = value["kind"] === kind.kind;
  const other = isUnnamed || !isKind ? undefined : otherVersion(typeof apiVersion === "string" ? apiVersion : "", kind);
  if (other !== undefined) kind.versions?.(other).decode(value as JsonValue, found, "text");
  return kind.codec.decode(value as JsonValue, isKind && other === undefined ? found : undefined, "text");
}

/** The name of another version of the group; `undefined` for the expected one and for other groups. */
function otherVersion(apiVersion: string, { group, version }: PatchedKind): string | undefined {
  const named = parseApiVersion(apiVersion);
  return named.group === group && named.version !== version ? named.version : undefined;
}

function isUnversioned({ apiVersion }: JsonObject): boolean {
  return apiVersion === undefined || apiVersion === null || apiVersion === "";
}

/** Without an apiVersion, kube-apiserver decodes into the internal type, which does not have the JSON field names. */
function withoutFields({ codec }: PatchedKind, document: JsonObject, found: StrictProblems | undefined): AnyDraft {
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
