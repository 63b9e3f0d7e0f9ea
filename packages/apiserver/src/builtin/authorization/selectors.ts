/** Selectors in access reviews: a list or watch may be allowed for a subset of the objects only. */
import type { ResourceAttributes } from "@capstan/kinds/authorization.k8s.io/v1";
import {
  checkRequirement,
  fieldErrors,
  ParseError,
  parseFieldSelector,
  parseLabelSelector,
  type FieldError,
  type LabelOperator,
} from "@capstan/model";
import { checkLabelRequirement } from "../selector/label-selector.ts";

type Attributes = NonNullable<ResourceAttributes["labelSelector"]> | NonNullable<ResourceAttributes["fieldSelector"]>;
type Requirement = NonNullable<Attributes["requirements"]>[number];

const path = "spec.resourceAttributes";

/** Checks the field selector and the label selector of a review. */
export function checkSelectors(attributes: ResourceAttributes | undefined): FieldError[] {
  const { fieldSelector, labelSelector } = attributes ?? {};
  return [
    ...checkSelector(fieldSelector, `${path}.fieldSelector`, checkFieldRequirement),
    ...checkSelector(labelSelector, `${path}.labelSelector`, (requirement, at) =>
      checkLabelRequirement(requirement, at, { unknownOperators: true }),
    ),
  ];
}

function checkSelector(
  selector: Attributes | undefined,
  at: string,
  check: (requirement: Requirement, at: string) => FieldError[],
): FieldError[] {
  if (selector === undefined) return [];
  const { rawSelector = "", requirements = [] } = selector;
  const errors: FieldError[] = [];
  if (rawSelector !== "" && requirements.length > 0) {
    const why = "may not specified at the same time as requirements";
    errors.push(fieldErrors.invalid(`${at}.rawSelector`, rawSelector, why));
  }
  if (rawSelector === "" && requirements.length === 0) {
    const why = `when ${at} is specified, requirements or rawSelector is required`;
    errors.push(fieldErrors.required(`${at}.requirements`, why));
  }
  return [...errors, ...requirements.flatMap((one, index) => check(one, `${at}.requirements[${index}]`))];
}

function checkFieldRequirement({ key, operator, values = [] }: Requirement, at: string): FieldError[] {
  const errors: FieldError[] = [];
  if (key === "") errors.push(fieldErrors.required(`${at}.key`, "must be specified"));
  if ((operator === "In" || operator === "NotIn") && values.length === 0) {
    errors.push(fieldErrors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'"));
  }
  if ((operator === "Exists" || operator === "DoesNotExist") && values.length > 0) {
    const why = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
    errors.push(fieldErrors.forbidden(`${at}.values`, why));
  }
  return errors;
}

interface Selectors {
  readonly fieldSelector?: string;
  readonly labelSelector?: string;
}

/** The selectors as text, and the evaluation error for those that cannot be parsed. */
export function parsedSelectors({ fieldSelector, labelSelector }: ResourceAttributes): [Selectors, string] {
  const fields = readable(fieldSelector, "fieldSelector", {
    parses: (text) => parses(() => parseFieldSelector(text)),
    format: formatField,
  });
  const labels = readable(labelSelector, "labelSelector", {
    parses: (text) => parses(() => parseLabelSelector(text)),
    format: formatLabel,
  });
  const selectors = {
    ...(fields.text === "" ? {} : { fieldSelector: fields.text }),
    ...(labels.text === "" ? {} : { labelSelector: labels.text }),
  };
  return [selectors, [fields.problem, labels.problem].filter((problem) => problem !== "").join("; ")];
}

interface Reader {
  readonly parses: (text: string) => boolean;
  /** A requirement as text, or undefined when it cannot be expressed. */
  readonly format: (requirement: Requirement) => string | undefined;
}

function readable(
  selector: Attributes | undefined,
  name: string,
  { parses: isSound, format }: Reader,
): { readonly text: string; readonly problem: string } {
  const { rawSelector = "", requirements = [] } = selector ?? {};
  const ignored = `${path}.${name} ignored due to parse error`;
  if (requirements.length === 0) {
    if (rawSelector === "" || isSound(rawSelector)) return { text: rawSelector, problem: "" };
    return { text: "", problem: ignored };
  }
  const parts = requirements.map(format);
  const sound = parts.filter((part) => part !== undefined);
  if (sound.length === parts.length) return { text: sound.join(","), problem: "" };
  const problem = sound.length === 0 ? ignored : `${path}.${name} partially ignored due to parse error`;
  return { text: sound.join(","), problem };
}

function parses(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch (error) {
    if (error instanceof ParseError) return false;
    throw error;
  }
}

function formatField({ key, operator, values = [] }: Requirement): string | undefined {
  if (values.length !== 1) return undefined;
  if (operator === "In") return `${key}=${values[0]}`;
  return operator === "NotIn" ? `${key}!=${values[0]}` : undefined;
}

const operators: Readonly<Record<string, LabelOperator>> = {
  In: "in",
  NotIn: "notin",
  Exists: "exists",
  DoesNotExist: "!",
};

function formatLabel({ key, operator: name, values = [] }: Requirement): string | undefined {
  const operator = Object.hasOwn(operators, name) ? operators[name] : undefined;
  if (operator === undefined || checkRequirement({ key, operator, values }).length > 0) return undefined;
  switch (operator) {
    case "exists":
      return key;
    case "!":
      return `!${key}`;
    default:
      return `${key} ${operator} (${[...values].sort().join(",")})`;
  }
}
