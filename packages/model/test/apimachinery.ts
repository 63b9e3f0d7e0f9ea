/** The inputs of Go's apimachinery, with the results of this package in the same form. */
import * as model from "@capstan/model";
import { apiErrors, fieldErrors } from "@capstan/model";

/** One input with Go's result. */
export type Row = Readonly<Record<string, unknown>>;

/** The table of inputs and results, by topic. */
export type Vectors = Readonly<Record<string, readonly Row[]>>;

type Answer = (row: Row, vectors: Vectors) => Row;

const text = (row: Row, key = "in"): string => row[key] as string;

/** The results of a parser and the functions on its result; for an error only its message. */
function attempt(row: Row, answer: (input: string) => Row): Row {
  try {
    return { in: row["in"], err: "", ...answer(text(row)) };
  } catch (error) {
    if (!(error instanceof model.ParseError)) throw error;
    return { in: row["in"], err: error.message };
  }
}

const labelMatches = (selector: model.LabelSelector, vectors: Vectors): boolean[] =>
  (vectors["labelSets"] ?? []).map((row) => model.matchesLabels(selector, row["labels"] as model.Labels));

const path = model.itemPath(model.childPath(model.itemPath(model.childPath("", "spec", "items"), 3), "name"), "a.b/c");

const fieldErrorMakers: Readonly<Record<string, (value: never) => model.FieldError>> = {
  invalid: (value) => fieldErrors.invalid(path, value, "detail"),
  invalidEmpty: (value) => fieldErrors.invalid(path, value, ""),
  typeInvalid: (value) => fieldErrors.typeInvalid(path, value, "detail"),
  notFound: (value) => fieldErrors.notFound(path, value),
  duplicate: (value) => fieldErrors.duplicate(path, value),
  notSupported: (value) => fieldErrors.notSupported(path, value, ["a", 'b"c']),
  notSupportedNone: (value) => fieldErrors.notSupported(path, value, []),
  tooLong: (value) => fieldErrors.tooLong(path, value),
  tooLongCharacters: (value) => fieldErrors.tooLongCharacters(path, value),
  tooShort: (value) => fieldErrors.tooShort(path, value),
  tooMany: (value) => fieldErrors.tooMany(path, 5, value),
  tooManyOmitted: (value) => fieldErrors.tooMany(path, -1, value),
  tooFew: (value) => fieldErrors.tooFew(path, 0, value),
  required: (value) => fieldErrors.required(path, value),
  forbidden: (value) => fieldErrors.forbidden(path, value),
  internal: (value) => fieldErrors.internal(path, `e${value as string}`),
};

const sampleErrors = [
  fieldErrors.required("spec"),
  fieldErrors.invalid("a", "<x>", "no"),
  fieldErrors.required("spec"),
];

function makeStatus(row: Row): string {
  const make = (apiErrors as unknown as Record<string, (...args: unknown[]) => model.StatusError>)[text(row, "make")];
  if (make === undefined) throw new Error(`no such constructor: ${text(row, "make")}`);
  const lists: Record<string, unknown> = { errors: sampleErrors, none: [] };
  const isInvalid = row["make"] === "invalid";
  const args = (row["args"] as unknown[]).map((arg) =>
    isInvalid && typeof arg === "string" ? (lists[arg] ?? arg) : arg,
  );
  return model.toGoJson(make(...args).status);
}

/** The functions of each topic. */
export const answers: Readonly<Record<string, Answer>> = {
  quantities: (row) =>
    attempt(row, (input) => {
      const quantity = model.parseQuantity(input);
      return {
        format: quantity.format,
        out: model.formatQuantity(quantity),
        ...("value" in row
          ? {
              value: String(model.quantityToInteger(quantity)),
              milli: String(model.quantityToInteger(quantity, -3)),
            }
          : {}),
      };
    }),
  arithmetic: (row) => {
    const [a, b] = [model.parseQuantity(text(row, "a")), model.parseQuantity(text(row, "b"))];
    return {
      a: row["a"],
      b: row["b"],
      cmp: model.compareQuantities(a, b),
      sum: model.formatQuantity(model.addQuantities(a, b)),
      diff: model.formatQuantity(model.subtractQuantities(a, b)),
    };
  },
  labelSets: (row) => row,
  labelSelectors: (row, vectors) =>
    attempt(row, (input) => {
      const selector = model.parseLabelSelector(input);
      return { out: model.formatLabelSelector(selector), matches: labelMatches(selector, vectors) };
    }),
  labelSelectorObjects: (row, vectors) =>
    attempt(row, () => {
      const selector = model.fromLabelSelectorObject(row["in"] as model.LabelSelectorObject);
      return { out: model.formatLabelSelector(selector), matches: labelMatches(selector, vectors) };
    }),
  fieldSelectors: (row) =>
    attempt(row, (input) => {
      const selector = model.parseFieldSelector(input);
      const fields: Record<string, string> = { a: "b", "x.y": "a", b: "" };
      return {
        out: model.formatFieldSelector(selector),
        matches: model.matchesFields(selector, (field) => fields[field]),
      };
    }),
  names: (row) => {
    const check = (model as unknown as Record<string, (value: string) => string[]>)[text(row, "check")];
    return { check: row["check"], in: row["in"], out: check?.(text(row)) };
  },
  fieldErrors: (row) => {
    const error = fieldErrorMakers[text(row, "make")]?.(row["value"] as never);
    if (error === undefined) throw new Error(`no such constructor: ${text(row, "make")}`);
    return {
      make: row["make"],
      value: row["value"],
      type: error.type,
      body: error.body,
      text: fieldErrors.format(error),
    };
  },
  statuses: (row) => ({ make: row["make"], args: row["args"], json: makeStatus(row) }),
  durations: (row) =>
    attempt(row, (input) => {
      const nanoseconds = model.parseDuration(input);
      return { ns: String(nanoseconds), out: model.formatDuration(nanoseconds) };
    }),
  times: (row) => attempt(row, (input) => ({ out: model.formatInstant(model.parseTime(input)) })),
  microTimes: (row) => attempt(row, (input) => ({ out: model.formatMicroInstant(model.parseMicroTime(input)) })),
  quotes: (row) => ({ in: row["in"], out: model.quote(text(row)) }),
};
