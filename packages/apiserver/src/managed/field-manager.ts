/** Managed fields: server-side apply for one kind at one version, built on the pure functions of `@capstan/patch`. */
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

/** The manager, operation and time of a write. */
export interface WriteOrigin {
  readonly manager: string;
  /** In the format of timestamps. */
  readonly time: string;
}

/** Tracks managed fields of one kind at one version, for the object or one subresource. */
export interface FieldManager {
  readonly schema: TypeSchema;
  /** Returns the draft that replaces `live` (absent on create) with `metadata.managedFields` set. */
  update(live: KubeObject | undefined, draft: AnyDraft, origin: WriteOrigin): AnyDraft;
  /** Applies a configuration to `live` (absent on create). Throws a StatusError on conflict, unless forced. */
  apply(live: KubeObject | undefined, applied: JsonObject, origin: WriteOrigin & { readonly force: boolean }): AnyDraft;
}

export interface FieldManagerOptions {
  readonly apiVersion: string;
  readonly kind: string;
  readonly subresource: string;
  readonly schema: TypeSchema;
  /** The object before any field is set. */
  readonly empty?: JsonObject;
  /** Dotted paths that this endpoint ignores. */
  readonly resetFields: readonly string[];
  /** Other versions of the kind, in which the endpoint ignores the same paths. */
  readonly otherVersions?: readonly string[];
  readonly convert?: ManageFieldsOptions["convert"];
}

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

/** An explicitly empty `managedFields` removes all owners. */
function withGivenOwners(draft: AnyDraft): AnyDraft {
  const { metadata } = draft;
  if (metadata.managedFields !== undefined || !isGiven(metadata, "managedFields")) return draft;
  return { ...draft, metadata: { ...metadata, managedFields: [] } };
}

/** For atomic lists Go compares empty values as well, which it ignores everywhere else. */
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

/** The Status for a failed patch. */
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
