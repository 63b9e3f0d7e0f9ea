/** The options of a request, parsed from its query and validated as in kube-apiserver. */
import {
  apiErrors,
  byteLength,
  fieldErrors,
  parseFieldSelector,
  parseInt64,
  parseLabelSelector,
  ParseError,
  quote,
  type FieldError,
  type FieldSelector,
  type KubeObject,
  type LabelSelector,
} from "@capstan/model";
import { checkDryRun } from "../builtin/meta/dry-run.ts";

/** Options of list, watch and deletecollection. */
export interface ListOptions {
  readonly labelSelector: LabelSelector;
  readonly fieldSelector: FieldSelector;
  readonly watch: boolean;
  readonly allowWatchBookmarks: boolean;
  readonly resourceVersion: string;
  readonly resourceVersionMatch: "" | "Exact" | "NotOlderThan";
  readonly timeoutSeconds: number | undefined;
  readonly limit: number;
  readonly continue: string;
  readonly sendInitialEvents: boolean | undefined;
}

const noRequirements: readonly never[] = [];

/** Parses list options; 400 for invalid values, 422 for invalid combinations. */
export function parseListOptions(query: URLSearchParams, isWatch: boolean): ListOptions {
  const match = query.get("resourceVersionMatch") ?? "";
  // Numbers are parsed before selectors.
  const numbers = {
    timeoutSeconds: parseInteger(query.get("timeoutSeconds")),
    limit: parseInteger(query.get("limit")) ?? 0,
  };
  const options = {
    ...numbers,
    labelSelector: parseSelector(query.get("labelSelector"), parseLabelSelector),
    fieldSelector: parseSelector(query.get("fieldSelector"), parseFieldSelector),
    watch: isWatch,
    allowWatchBookmarks: parseBoolean(query.get("allowWatchBookmarks")) ?? false,
    resourceVersion: query.get("resourceVersion") ?? "",
    resourceVersionMatch: match as ListOptions["resourceVersionMatch"],
    continue: query.get("continue") ?? "",
    sendInitialEvents: parseBoolean(query.get("sendInitialEvents")),
  };
  // A `/watch/` path alone does not validate the options as those of a watch.
  const errors = isWatch && query.has("watch") ? checkWatchOptions(options, match) : checkListOptions(options, match);
  if (errors.length > 0) throw invalidOptions("ListOptions", errors);
  return options;
}

function parseSelector<T>(text: string | null, parse: (text: string) => readonly T[]): readonly T[] {
  if (text === null || text === "") return noRequirements;
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof ParseError) throw apiErrors.badRequest(error.message);
    throw error;
  }
}

/** Every value except `false` and `0` is true, even an empty one. */
function parseBoolean(text: string | null): boolean | undefined {
  if (text === null) return undefined;
  return text.toLowerCase() !== "false" && text !== "0";
}

/** A number of a query; 400 in the words of Go if it is none. */
export function parseInteger(text: string | null): number | undefined {
  if (text === null) return undefined;
  const value = parseInt64(text);
  if (value !== undefined) return Number(value);
  const why = /^[+-]?[0-9]+$/.test(text) ? "value out of range" : "invalid syntax";
  throw apiErrors.badRequest(`strconv.ParseInt: parsing ${quote(text)}: ${why}`);
}

const matchPath = "resourceVersionMatch";

function checkListOptions(options: ListOptions, match: string): FieldError[] {
  const errors: FieldError[] = [];
  if (match !== "") {
    if (options.resourceVersion === "") {
      errors.push(
        fieldErrors.forbidden(matchPath, "resourceVersionMatch is forbidden unless resourceVersion is provided"),
      );
    }
    if (options.continue !== "") errors.push(matchWithContinue());
    if (match !== "Exact" && match !== "NotOlderThan") {
      errors.push(fieldErrors.notSupportedName(matchPath, match, ["Exact", "NotOlderThan", ""]));
    }
    if (match === "Exact" && options.resourceVersion === "0") {
      const detail = 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"';
      errors.push(fieldErrors.forbidden(matchPath, detail));
    }
  }
  if (options.sendInitialEvents !== undefined) {
    errors.push(fieldErrors.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list"));
  }
  return errors;
}

function checkWatchOptions(options: ListOptions, match: string): FieldError[] {
  const errors: FieldError[] = [];
  if (options.sendInitialEvents !== undefined && match !== "NotOlderThan") {
    const detail = "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan";
    errors.push(fieldErrors.forbidden(matchPath, detail));
  }
  if (match === "") return options.continue === "" ? errors : [...errors, matchWithContinue()];
  if (options.sendInitialEvents === undefined) {
    const detail = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided";
    errors.push(fieldErrors.forbidden(matchPath, detail));
  }
  if (match !== "NotOlderThan") errors.push(fieldErrors.notSupported(matchPath, match, ["NotOlderThan"]));
  if (options.continue !== "") errors.push(matchWithContinue());
  return errors;
}

function matchWithContinue(): FieldError {
  return fieldErrors.forbidden(matchPath, "resourceVersionMatch is forbidden when continue is provided");
}

/** How unknown and duplicate fields of a body are treated. */
export type FieldValidation = "Ignore" | "Warn" | "Strict";

/** Options of create, update and patch. */
export interface WriteOptions {
  readonly dryRun: boolean;
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  /** For patch only; `undefined` if it was not given. */
  readonly force: boolean | undefined;
  /** The options as an object, for admission. */
  readonly object: KubeObject;
}

/** The options kinds of writes. */
export type WriteOptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

const fieldValidations = ["", "Ignore", "Strict", "Warn"];

/** Parses the options of a write; 422 for invalid ones. */
export function parseWriteOptions(query: URLSearchParams, kind: WriteOptionsKind, isApply = false): WriteOptions {
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  // A byte that is not UTF-8 counts as one, and is written as U+FFFD.
  const manager = fieldManager.toWellFormed();
  const validation = query.get("fieldValidation") ?? "";
  const force = kind === "PatchOptions" ? parseBoolean(query.get("force")) : undefined;
  const errors = [
    ...(kind === "PatchOptions" ? checkPatchOptions(fieldManager, force, isApply) : []),
    ...checkFieldManager(manager, "fieldManager"),
    ...checkDryRun(dryRun),
    ...checkFieldValidation(validation),
  ];
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: manager,
    fieldValidation: validation === "" ? "Warn" : (validation as FieldValidation),
    force,
    object: toOptionsObject(kind, { dryRun, force, fieldManager: manager, fieldValidation: validation }),
  };
}

function toOptionsObject(
  kind: WriteOptionsKind,
  options: { dryRun: readonly string[]; force: boolean | undefined; fieldManager: string; fieldValidation: string },
): KubeObject {
  return {
    kind,
    apiVersion: "meta.k8s.io/v1",
    ...(options.dryRun.length > 0 ? { dryRun: options.dryRun } : {}),
    ...(options.force === undefined ? {} : { force: options.force }),
    ...(options.fieldManager === "" ? {} : { fieldManager: options.fieldManager }),
    ...(options.fieldValidation === "" ? {} : { fieldValidation: options.fieldValidation }),
  } as unknown as KubeObject;
}

function checkPatchOptions(fieldManager: string, force: boolean | undefined, isApply: boolean): FieldError[] {
  if (isApply) return fieldManager === "" ? [fieldErrors.required("fieldManager", "is required for apply patch")] : [];
  return force === undefined ? [] : [fieldErrors.forbidden("force", "may not be specified for non-apply patch")];
}

const maxManagerLength = 128;
const printable = /[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u;

/** Validates the name of a field manager. */
export function checkFieldManager(manager: string, path: string): FieldError[] {
  const errors: FieldError[] = [];
  if (byteLength(manager) > maxManagerLength) errors.push(fieldErrors.tooLong(path, maxManagerLength));
  let position = 0;
  for (const character of manager) {
    if (!printable.test(character)) {
      const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0");
      errors.push(fieldErrors.invalid(path, manager, `invalid character U+${code} (at position ${position})`));
    }
    position += byteLength(character);
  }
  return errors;
}

function checkFieldValidation(validation: string): FieldError[] {
  if (fieldValidations.includes(validation)) return [];
  return [fieldErrors.notSupported("fieldValidation", validation, fieldValidations)];
}

/** The error for invalid options. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): Error {
  return apiErrors.invalid({ group: "meta.k8s.io", kind }, "", errors);
}

/** The field manager of a write: the given one, or the first part of the user agent. */
export function managerOf(fieldManager: string, userAgent: string): string {
  if (fieldManager !== "") return fieldManager;
  let manager = "";
  for (const character of userAgent.split("/")[0] ?? "") {
    if (!printable.test(character)) continue;
    if (byteLength(manager) + byteLength(character) > maxManagerLength) break;
    manager += character;
  }
  return manager === "" ? "unknown" : manager;
}
