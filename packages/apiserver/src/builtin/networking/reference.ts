/** References to an object of another kind in the same namespace. */
import { checkPathSegment, fieldErrors, type FieldError } from "@capstan/model";
import { checkSubdomain, invalidEach, isEmpty } from "../meta/checks.ts";

interface Reference {
  /** The server stores an absent group as null. */
  readonly apiGroup?: string | null;
  readonly kind: string;
  readonly name: string;
}

/** Checks group, kind and name. */
export function checkReference({ apiGroup, kind, name }: Reference, path: string): FieldError[] {
  return [
    ...(apiGroup === undefined || apiGroup === null ? [] : checkSubdomain(apiGroup, `${path}.apiGroup`)),
    ...requireSegment(kind, `${path}.kind`),
    ...requireSegment(name, `${path}.name`),
  ];
}

/** Requires a text that is a valid path segment. */
export function requireSegment(value: string | undefined, path: string): FieldError[] {
  return isEmpty(value) ? [fieldErrors.required(path)] : invalidEach(path, value, checkPathSegment(value));
}
