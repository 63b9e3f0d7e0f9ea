/** Findings of the OpenAPI validator, before they become field errors. */
import type { Json } from "@capstan/model";

import type { FieldError, FieldPath } from "./field-error.ts";
import { child, invalid, notSupported, required, tooLong, tooMany, typeInvalid } from "./field-error.ts";
import type { GoValue } from "./go-text.ts";
import { marshal } from "./go-text.ts";

type Code =
  | "type"
  | "required"
  | "enum"
  | "tooLong"
  | "tooShort"
  | "pattern"
  | "multipleOf"
  | "max"
  | "min"
  | "unique"
  | "maxItems"
  | "minItems"
  | "minProperties"
  | "maxProperties"
  | "forbidden";

/** A finding: `plain` ones have a message only and are reported for the whole value. */
export type Problem =
  | { readonly kind: "plain"; readonly message: string }
  | {
      readonly kind: "validation";
      readonly code: Code;
      /** The path as the validator writes it: it may start with a dot. */
      readonly name: string;
      readonly message: string;
      readonly value?: GoValue;
      readonly limit?: number;
      readonly values?: readonly Json[];
    };

export function plain(message: string): Problem {
  return { kind: "plain", message };
}

interface Finding {
  readonly message: string;
  readonly value?: GoValue;
  readonly limit?: number;
  readonly values?: readonly Json[];
}

export function validation(code: Code, name: string, finding: Finding): Problem {
  return { kind: "validation", code, name, ...finding };
}

/** The field error of a finding below `base`. */
export function toFieldError(problem: Problem, base: FieldPath): FieldError {
  if (problem.kind === "plain") return invalid(base, "", problem.message);
  const { name, message, value = "", limit = -1 } = problem;
  const path = name === "" || name === "." ? base : child(base, name.startsWith(".") ? name.slice(1) : name);
  switch (problem.code) {
    case "required":
      return required(path);
    case "enum":
      return notSupported(path, problem.value ?? null, (problem.values ?? []).map(allowedText));
    case "tooLong":
      return tooLong(path, limit);
    case "maxItems":
    case "maxProperties":
      return tooMany(path, Number(value), limit);
    case "type":
      return typeInvalid(path, value, message);
    default:
      return invalid(path, value, message);
  }
}

function allowedText(value: Json): string {
  return typeof value === "string" ? value : marshal(value);
}
