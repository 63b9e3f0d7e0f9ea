/** Bindings of admission policies: where a policy applies, and with which parameters. */
import type {
  MutatingAdmissionPolicyBinding as MutatingObject,
  ParamRef,
  ValidatingAdmissionPolicyBinding as ValidatingObject,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import { checkPathSegment, fieldErrors, type FieldError } from "@capstan/model";
import { checkMetadata } from "../../metadata/check.ts";
import { checkOneOf, checkSubdomain, invalidEach, isEmpty } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { checkLabelSelector } from "../selector/label-selector.ts";
import { ageOf, selectorCell } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import { checkMatchResources, checkMutatingOperations, defaultMatchResources } from "./rules-check.ts";
import { staticNameWarnings } from "./webhook-configuration.ts";
import { occursBefore } from "../occurs-before.ts";

type Validating = Whole<ValidatingObject>;
type Mutating = Whole<MutatingObject>;

/** Bindings of validating policies also set what happens when a validation fails (`validationActions`). */
export const validatingAdmissionPolicyBinding: KindRules<Validating> = defineRules<Validating>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  defaults: ({ spec }) => defaultMatchResources(spec.matchResources),
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGeneration(draft, old),
  validateCreate: checkValidating,
  validateUpdate: checkValidating,
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  table: { row: (object, now) => ({ cells: cellsOf(object, now) }) },
});

export const mutatingAdmissionPolicyBinding: KindRules<Mutating> = defineRules<Mutating>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  defaults: ({ spec }) => defaultMatchResources(spec.matchResources),
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGeneration(draft, old),
  validateCreate: checkMutating,
  validateUpdate: checkMutating,
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  table: { row: (object, now) => ({ cells: cellsOf(object, now) }) },
});

function cellsOf(object: Validating | Mutating, now: number): string[] {
  const { metadata, spec } = object;
  return [metadata.name, spec.policyName ?? "", paramCell(spec.paramRef), ageOf(object, now)];
}

function paramCell(ref: ParamRef | undefined): string {
  const { name = "", namespace = "", selector } = ref ?? {};
  if (name !== "") return `${namespace === "" ? "*" : namespace}/${name}`;
  return selector === undefined ? "<unset>" : selectorCell(selector);
}

function checkValidating(object: Validating): FieldError[] {
  return [...checkBinding(object), ...checkActions(object.spec.validationActions ?? [], "spec.validationActions")];
}

function checkMutating(object: Mutating): FieldError[] {
  return [...checkBinding(object), ...checkMutatingOperations(object.spec.matchResources, "spec.matchResources")];
}

function checkBinding(object: Validating | Mutating): FieldError[] {
  const { policyName, paramRef, matchResources } = object.spec;
  return [
    ...checkMetadata(object.metadata, false, "dns-subdomain"),
    ...(isEmpty(policyName)
      ? [fieldErrors.required("spec.policyName")]
      : checkSubdomain(policyName, "spec.policyName")),
    ...(paramRef === undefined ? [] : checkParamRef(paramRef, "spec.paramRef")),
    ...(matchResources === undefined ? [] : checkMatchResources(matchResources, "spec.matchResources")),
  ];
}

function checkParamRef({ name = "", selector, parameterNotFoundAction }: ParamRef, path: string): FieldError[] {
  const exclusive = "name and selector are mutually exclusive";
  const isBoth = name !== "" && selector !== undefined;
  const action = `${path}.parameterNotFoundAction`;
  return [
    ...(name === "" ? [] : invalidEach(`${path}.name`, name, checkPathSegment(name))),
    ...(isBoth ? [fieldErrors.forbidden(`${path}.name`, exclusive)] : []),
    ...checkLabelSelector(selector, `${path}.selector`),
    ...(isBoth ? [fieldErrors.forbidden(`${path}.selector`, exclusive)] : []),
    ...(name === "" && selector === undefined
      ? [fieldErrors.required(path, "one of name or selector must be specified")]
      : []),
    ...(isEmpty(parameterNotFoundAction)
      ? [fieldErrors.required(action)]
      : checkOneOf(parameterNotFoundAction, action, ["Deny", "Allow"])),
  ];
}

function checkActions(actions: readonly string[], path: string): FieldError[] {
  const why =
    "must not contain both Deny and Warn (repeating the same validation failure information in the API response and headers serves no purpose)";
  const isBoth = actions.includes("Deny") && actions.includes("Warn");
  return [
    ...actions.flatMap((action, index) => [
      ...checkOneOf(action, `${path}[${index}]`, ["Audit", "Deny", "Warn"]),
      ...(occursBefore(actions, index) ? [fieldErrors.duplicate(`${path}[${index}]`, action)] : []),
    ]),
    ...(isBoth ? [fieldErrors.invalid(path, actions, why)] : []),
    ...(actions.length === 0 ? [fieldErrors.required(path, "at least one validation action is required")] : []),
  ];
}
