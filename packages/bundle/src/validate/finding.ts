/** What a validator found, and the sentence that the operator framework's tools say about it. */

/** Whether a finding makes the bundle invalid. */
export type Level = "Error" | "Warning";

/** What went wrong; for fields of a CRD it is the server's word. */
export type FindingType =
  | "CSVFileNotValid"
  | "FieldNotFound"
  | "ParseError"
  | "ValidationFailed"
  | "OperationFailed"
  | "BundleNotValid"
  | "ObjectFailedValidation"
  | "PropertiesAnnotationUsed"
  | "DeprecatedValidator"
  | "FormatNotValid"
  | "Forgotten"
  | `FieldValue${string}`
  | "InternalError";

/** One finding. */
export interface Finding {
  readonly level: Level;
  readonly type: FindingType;
  readonly text: string;
}

interface Place {
  readonly field?: string;
  /** The value as `%v` prints it; absent without a value. */
  readonly value?: string;
}

/** A finding with its place: `Error: Field spec.x, Value y: must be ...`. */
export function finding(level: Level, type: FindingType, detail: string, { field, value }: Place = {}): Finding {
  const place = [field === undefined ? [] : `Field ${field}`, value === undefined ? [] : `Value ${value}`].flat();
  const body = place.length === 0 ? `: ${detail}` : `${place.join(", ")}: ${detail}`;
  return { level, type, text: `${level}: ${body}` };
}

/** About the ClusterServiceVersion as a whole. */
export function aboutCsv(level: Level, name: string, detail: string): Finding {
  return finding(level, "CSVFileNotValid", `(${name}) ${detail}`, { value: "" });
}

/** A rule of the bundle that is broken. */
export function aboutBundle(level: Level, value: string, detail: string): Finding {
  return finding(level, "BundleNotValid", detail, { value });
}

/** A check that failed. */
export function failed(level: Level, value: string, detail: string): Finding {
  return finding(level, "ValidationFailed", detail, { value });
}
