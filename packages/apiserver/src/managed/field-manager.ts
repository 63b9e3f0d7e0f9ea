/** Who owns which fields: server-side apply for one kind at one version, on the pure functions of `@capstan/patch`. */
import {
  apiErrors,
  isDeepEqual,
  parseTime,
  StatusError,
  toFailure,
  toMilliseconds,
  type Json,
  type KubeObject,
} from "@capstan/model";
import {
  fieldSetOf,
  manageFields,
  recursiveDifferenceOf,
  type FieldFilter,
  type JsonObject,
  type ManageFieldsOptions,
  type ManageFieldsResult,
  type PatchErrorCode,
  type TypeSchema,
} from "@capstan/patch";
import type { AnyDraft } from "../builtin/draft.ts";
import { hasEmptyInItems, isGiven } from "../builtin/given-empty.ts";

/** Who writes. */
export interface WriteOrigin {
  readonly manager: string;
  /** As it goes into a timestamp. */
  readonly time: string;
}

/** Tracks managed fields of one kind at one version, through one door. */
export interface FieldManager {
  readonly schema: TypeSchema;
  /** The draft with `metadata.managedFields` set, as it replaces `live` (absent on create). */
  update(live: KubeObject | undefined, draft: AnyDraft, origin: WriteOrigin): AnyDraft;
  /** What comes of applying a configuration to `live` (absent on create). Refuses with a StatusError on conflict, unless forced. */
  apply(live: KubeObject | undefined, applied: JsonObject, origin: WriteOrigin & { readonly force: boolean }): AnyDraft;
}

/** What is known about the kind and the door. */
export interface FieldManagerOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly subresource: string;
  readonly schema: TypeSchema;
  /** The object before anything is set. */
  readonly empty?: JsonObject;
  /** Dotted paths that this door ignores. */
  readonly resetFields: readonly string[];
  /** Other versions of the kind, in which the door ignores the same. */
  readonly otherVersions?: readonly string[];
  readonly convert?: ManageFieldsOptions["convert"];
}

/** Makes the field manager of a kind. */
export function createFieldManager(options: FieldManagerOptions): FieldManager {
  const { apiVersion, kind, subresource, schema, empty, convert } = options;
  const fixed = {
    apiVersion,
    kind,
    subresource,
    schema,
    resetFields: Object.fromEntries(
      [apiVersion, ...(options.otherVersions ?? [])].map((version) => [version, filterOf(options.resetFields)]),
    ),
    ...(empty === undefined ? {} : { empty }),
    ...(convert === undefined ? {} : { convert }),
  };
  return {
    schema,
    update(live, draft, { manager, time }) {
      const result = manageFields({
        ...fixed,
        operation: "Update",
        live: asJson(live),
        incoming: withGivenOwners(draft) as unknown as JsonObject,
        manager,
        now: toDate(time),
        isSame,
      });
      return settled(result);
    },
    apply(live, applied, { manager, time, force }) {
      const result = manageFields({
        ...fixed,
        operation: "Apply",
        live: asJson(live),
        incoming: applied,
        manager,
        force,
        now: toDate(time),
      });
      return settled(result);
    },
  };
}

/** No owners at all is something to say: it takes all of them away. */
function withGivenOwners(draft: AnyDraft): AnyDraft {
  const { metadata } = draft;
  if (metadata.managedFields !== undefined || !isGiven(metadata, "managedFields")) return draft;
  return { ...draft, metadata: { ...metadata, managedFields: [] } };
}

/** Go compares lists that have one owner with all that they hold, where it leaves out what is empty everywhere else. */
function isSame(before: Json, after: Json): boolean {
  return isDeepEqual(before, after) && !hasEmptyInItems(after);
}

function filterOf(paths: readonly string[]): FieldFilter {
  if (paths.length === 0) return (fields) => fields;
  const reset = fieldSetOf(...paths.map((path) => path.split(".").map((part) => `f:${part}`)));
  return (fields) => recursiveDifferenceOf(fields, reset);
}

function asJson(object: KubeObject | undefined): JsonObject | undefined {
  return object as unknown as JsonObject | undefined;
}

function toDate(time: string): Date {
  return new Date(toMilliseconds(parseTime(time)));
}

function settled(result: ManageFieldsResult): AnyDraft {
  switch (result.outcome) {
    case "done":
      return result.object as unknown as AnyDraft;
    case "conflict":
      throw apiErrors.applyConflict(result.causes, result.message);
    case "refused":
      throw toStatusError(result.code, result.message);
  }
}

/** The Status that a failed patch comes with. */
export function toStatusError(code: PatchErrorCode, message: string): StatusError {
  switch (code) {
    case "BadRequest":
      return apiErrors.badRequest(message);
    case "Unprocessable":
      return new StatusError(toFailure({ code: 422, reason: "Invalid", message, details: {} }));
    case "TooLarge":
      return apiErrors.requestEntityTooLarge(message);
    case "Conflict":
      return new StatusError(toFailure({ code: 409, reason: "Conflict", message }));
    case "Internal":
      return new StatusError(toFailure({ code: 500, reason: "", message }));
  }
}
