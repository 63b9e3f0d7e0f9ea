/** What is wrong with one field of an object, in the words kube-apiserver uses. */

/** The kinds of things that can be wrong with a field; they become the `reason` of a cause in a Status. */
export type FieldErrorType =
  | "FieldValueNotFound"
  | "FieldValueRequired"
  | "FieldValueDuplicate"
  | "FieldValueInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError"
  | "FieldValueTypeInvalid";

/** One thing wrong with one field: `field` is a path such as `spec.containers[0].name`. */
export interface FieldError {
  readonly type: FieldErrorType;
  readonly field: string;
  readonly value?: unknown;
  readonly detail: string;
}

/** The message of a cause: what kube-apiserver says about the field, without its path. */
export function formatFieldErrorBody(error: FieldError): string {
  const label = labels[error.type];
  const shown = showsValue(error) ? `${label}: ${formatBadValue(error.value)}` : label;
  return error.detail === "" ? shown : `${shown}: ${error.detail}`;
}

/** The whole message: path and what is wrong there. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`;
}

const labels: Record<FieldErrorType, string> = {
  FieldValueNotFound: "Not found",
  FieldValueRequired: "Required value",
  FieldValueDuplicate: "Duplicate value",
  FieldValueInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  InternalError: "Internal error",
  FieldValueTypeInvalid: "Invalid value",
};

function showsValue(error: FieldError): boolean {
  switch (error.type) {
    case "FieldValueRequired":
    case "FieldValueForbidden":
    case "FieldValueTooLong":
    case "InternalError":
      return false;
    default:
      return true;
  }
}

function formatBadValue(value: unknown): string {
  if (value === undefined || value === null) return "null";
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "number" || typeof value === "boolean" || typeof value === "bigint") return String(value);
  return JSON.stringify(value);
}
