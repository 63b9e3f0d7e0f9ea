/** ValidatingAdmissionPolicy and MutatingAdmissionPolicy: rules about requests, written as CEL expressions. */
import type {
  AuditAnnotation,
  Mutation,
  MutatingAdmissionPolicy as MutatingObject,
  MutatingAdmissionPolicySpec,
  ParamKind,
  ValidatingAdmissionPolicy as ValidatingObject,
  ValidatingAdmissionPolicySpec,
  Validation,
} from "@capstan/kinds/admissionregistration.k8s.io/v1";
import type { Env } from "@capstan/cel";
import {
  byteLength,
  checkDns1035Label,
  checkDns1123Subdomain,
  fieldErrors,
  isDeepEqual,
  type FieldError,
} from "@capstan/model";
import { compileJsonPath, JsonPathError } from "@capstan/schema";
import { checkMetadata } from "../../metadata/check.ts";
import { checkOneOf, checkQualified, isEmpty, requireOneOf } from "../meta/checks.ts";
import { bumpGeneration, startGeneration } from "../meta/generation.ts";
import { dropField, keepField, statusView } from "../meta/status.ts";
import { checkConditions } from "../policy/conditions.ts";
import { defineRules, type KindRules } from "../rules.ts";
import { keepMetadata } from "../storage/keep-metadata.ts";
import { ageOf } from "../table/cells.ts";
import type { Whole } from "../whole.ts";
import {
  annotationTypes,
  appliedType,
  checkExpression,
  checkMatchConditions,
  checkVariables,
  expressionEnv,
  messageExpressionEnv,
  messageTypes,
  mutationEnv,
  patchesType,
} from "./expressions.ts";
import { checkMatchResources, checkMutatingOperations, defaultMatchResources } from "./rules-check.ts";
import { staticNameWarnings } from "./webhook-configuration.ts";
import { occursBefore } from "../occurs-before.ts";

type Validating = Whole<ValidatingObject>;
type Mutating = Whole<MutatingObject, "spec">;
type AnySpec = ValidatingAdmissionPolicySpec | MutatingAdmissionPolicySpec;

export const validatingAdmissionPolicy: KindRules<Validating> = defineRules<Validating>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  defaults({ spec }) {
    spec.failurePolicy ??= "Fail";
    defaultMatchResources(spec.matchConstraints);
  },
  prepareForCreate(draft) {
    dropField(draft, "status");
    startGeneration(draft);
  },
  prepareForUpdate(draft, old) {
    keepField(draft, old, "status");
    bumpGeneration(draft, old);
  },
  validateCreate: (object) => checkValidating(object),
  validateUpdate: (object, old) => checkValidating(object, old.spec),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  subresources: {
    status: {
      createsMissing: true,
      ...statusView<Validating>({
        resetFields: ["metadata", "spec"],
        prepare: keepMetadata,
        validate: ({ status }) => [
          ...(status.typeChecking?.expressionWarnings ?? []).flatMap(({ warning, fieldRef }, index) => {
            const path = `status.typeChecking.expressionWarnings[${index}]`;
            return [
              ...(isEmpty(warning) ? [fieldErrors.required(`${path}.warning`)] : []),
              ...checkFieldRef((fieldRef ?? "").trim(), `${path}.fieldRef`),
            ];
          }),
          ...checkConditions(status.conditions ?? [], "status.conditions"),
        ],
      }),
    },
  },
  table: {
    row: (object, now) => {
      const { metadata, spec } = object;
      return {
        cells: [metadata.name, (spec.validations ?? []).length, paramCell(spec.paramKind), ageOf(object, now)],
      };
    },
  },
});

export const mutatingAdmissionPolicy: KindRules<Mutating> = defineRules<Mutating>({
  validatesMetadata: true,
  unconditionalUpdate: false,
  defaults({ spec }) {
    spec.failurePolicy ??= "Fail";
    defaultMatchResources(spec.matchConstraints);
  },
  prepareForCreate: startGeneration,
  prepareForUpdate: (draft, old) => bumpGeneration(draft, old),
  validateCreate: (object) => checkMutating(object),
  validateUpdate: (object, old) => checkMutating(object, old.spec),
  warnings: ({ metadata }) => staticNameWarnings(metadata.name),
  table: {
    row: (object, now) => {
      const { metadata, spec } = object;
      return {
        cells: [metadata.name, (spec.mutations ?? []).length, paramCell(spec.paramKind), ageOf(object, now)],
      };
    },
  },
});

function paramCell(kind: ParamKind | undefined): string {
  return kind === undefined ? "<unset>" : `${kind.apiVersion ?? ""}/${kind.kind ?? ""}`;
}

function checkValidating(object: Validating, old?: ValidatingAdmissionPolicySpec): FieldError[] {
  const { metadata, spec } = object;
  const { validations = [], auditAnnotations = [], paramKind } = spec;
  const [variables, env] = checkVariables(
    spec.variables ?? [],
    "spec.variables",
    expressionEnv(paramKind !== undefined),
  );
  const [, message] = checkVariables(spec.variables ?? [], "", messageExpressionEnv(paramKind !== undefined));
  const envs = { env, message };
  const nothing = "validations or auditAnnotations must contain at least one item";
  const isEmptySpec = validations.length === 0 && auditAnnotations.length === 0;
  return [
    ...checkMetadata(object.metadata, false, "dns-subdomain"),
    ...checkScope(spec, old),
    ...variables,
    ...(isEmptySpec
      ? [fieldErrors.required("spec.validations", nothing), fieldErrors.required("spec.auditAnnotations", nothing)]
      : []),
    ...validations.flatMap((validation, index) => checkValidation(validation, `spec.validations[${index}]`, envs)),
    ...checkAnnotations(auditAnnotations, metadata.name, env),
  ];
}

/** Checks the fields that both kinds of policies share: parameters, match constraints and match conditions. */
function checkScope(spec: AnySpec, old: AnySpec | undefined): FieldError[] {
  const { paramKind, matchConstraints, matchConditions = [] } = spec;
  const isKept =
    old !== undefined &&
    isDeepEqual(paramKind, old.paramKind) &&
    isDeepEqual(spec.matchConditions, old.matchConditions);
  const path = "spec.matchConstraints";
  return [
    ...checkOneOf(spec.failurePolicy, "spec.failurePolicy", ["Fail", "Ignore"]),
    ...(paramKind === undefined ? [] : checkParamKind(paramKind, "spec.paramKind")),
    ...(matchConstraints === undefined ? [fieldErrors.required(path)] : checkMatchResources(matchConstraints, path)),
    ...(matchConstraints !== undefined && (matchConstraints.resourceRules ?? []).length === 0
      ? [fieldErrors.required(`${path}.resourceRules`)]
      : []),
    ...(isKept
      ? []
      : checkMatchConditions(matchConditions, "spec.matchConditions", expressionEnv(paramKind !== undefined))),
  ];
}

function checkParamKind({ apiVersion = "", kind = "" }: ParamKind, path: string): FieldError[] {
  return [...checkApiVersion(apiVersion, `${path}.apiVersion`), ...checkKind(kind, `${path}.kind`)];
}

function checkApiVersion(apiVersion: string, path: string): FieldError[] {
  if (apiVersion === "") return [fieldErrors.required(path)];
  const parts = apiVersion === "/" ? ["", ""] : apiVersion.split("/");
  if (parts.length > 2) {
    return [fieldErrors.invalid(path, apiVersion, `unexpected GroupVersion string: ${apiVersion}`)];
  }
  const [group = "", version = ""] = parts.length === 1 ? ["", ...parts] : parts;
  const badGroup = group === "" ? [] : checkDns1123Subdomain(group);
  const badVersion = checkDns1035Label(version);
  return [
    ...(badGroup.length > 0 ? [fieldErrors.invalid(path, group, badGroup.join(","))] : []),
    ...(version === "" ? [fieldErrors.invalid(path, apiVersion, "version must be specified")] : []),
    ...(version !== "" && badVersion.length > 0 ? [fieldErrors.invalid(path, version, badVersion.join(","))] : []),
  ];
}

function checkKind(kind: string, path: string): FieldError[] {
  if (kind === "") return [fieldErrors.required(path)];
  const problems = checkDns1035Label(kind.toLowerCase());
  if (problems.length === 0) return [];
  const why = `may have mixed case, but should otherwise match: ${problems.join(",")}`;
  return [fieldErrors.invalid(path, kind, why)];
}

/** The environments of expressions and of message expressions. */
interface Envs {
  readonly env: Env;
  readonly message: Env;
}

const reasons = ["Forbidden", "Invalid", "RequestEntityTooLarge"];

function checkValidation(validation: Validation, path: string, { env, message: messageEnv }: Envs): FieldError[] {
  const { expression, message = "", messageExpression = "", reason } = validation;
  return [
    ...(expression.trim() === ""
      ? [fieldErrors.required(`${path}.expression`, "expression is not specified")]
      : checkExpression(expression, `${path}.expression`, { env })),
    ...checkMessageExpression(messageExpression, `${path}.messageExpression`, messageEnv),
    ...checkMessage(message, `${path}.message`),
    ...(reason === undefined ? [] : checkOneOf(reason, `${path}.reason`, reasons)),
  ];
}

function checkMessageExpression(expression: string, path: string, env: Env): FieldError[] {
  if (expression === "") return [];
  if (expression.trim() === "") return [fieldErrors.invalid(path, expression, "must be non-empty if specified")];
  return checkExpression(expression, path, { env, types: messageTypes });
}

function checkMessage(message: string, path: string): FieldError[] {
  if (message !== "" && message.trim() === "") {
    return [fieldErrors.invalid(path, message, "must be non-empty if specified")];
  }
  return /[\n\r]/.test(message.trim()) ? [fieldErrors.invalid(path, message, "must not contain line breaks")] : [];
}

const maxAnnotations = 20;
const maxValueBytes = 5 * 1024;

function checkAnnotations(annotations: readonly AuditAnnotation[], name: string, env: Env): FieldError[] {
  const path = "spec.auditAnnotations";
  const keys = annotations.map(({ key }) => key);
  const tooMany = `must not have more than ${maxAnnotations} auditAnnotations`;
  return [
    ...(annotations.length > maxAnnotations
      ? [fieldErrors.invalid(path, annotations.map(internalAnnotation), tooMany)]
      : []),
    ...annotations.flatMap(({ key, valueExpression }, index) => [
      ...checkAnnotationKey(key, name, `${path}[${index}].key`),
      ...checkValue(valueExpression ?? "", `${path}[${index}].valueExpression`, env),
      ...(occursBefore(keys, index) ? [fieldErrors.duplicate(`${path}[${index}].key`, key)] : []),
    ]),
  ];
}

/** Checks the whole key, which begins with the name of the policy. */
function checkAnnotationKey(key: string, name: string, path: string): FieldError[] {
  if (name === "") return [fieldErrors.invalid(path, key, "requires metadata.name be non-empty")];
  return checkQualified(`${name}/${key}`, path);
}

function internalAnnotation({ key, valueExpression }: AuditAnnotation): object {
  return { Key: key, ValueExpression: valueExpression };
}

function checkValue(expression: string, path: string, env: Env): FieldError[] {
  const trimmed = expression.trim();
  if (trimmed === "") return [fieldErrors.required(path, "valueExpression is not specified")];
  if (byteLength(trimmed) > maxValueBytes) {
    return [fieldErrors.required(path, `must not exceed ${maxValueBytes} bytes in length`)];
  }
  return checkExpression(trimmed, path, { env, types: annotationTypes, shown: expression });
}

function checkMutating(object: Mutating, old?: MutatingAdmissionPolicySpec): FieldError[] {
  const { spec } = object;
  const { mutations = [], paramKind } = spec;
  const base = expressionEnv(paramKind !== undefined);
  const [variables, env] = checkVariables(spec.variables ?? [], "spec.variables", base);
  const scope = checkScope(spec, old);
  const unknown = checkMutatingOperations(spec.matchConstraints, "spec.matchConstraints");
  return [
    ...checkMetadata(object.metadata, false, "dns-subdomain"),
    ...scope,
    ...unknown,
    ...variables,
    ...(mutations.length === 0
      ? [fieldErrors.required("spec.mutations", "mutations must contain at least one item")]
      : []),
    ...mutations.flatMap((mutation, index) => checkMutation(mutation, `spec.mutations[${index}]`, mutationEnv(env))),
    ...requireOneOf(spec.reinvocationPolicy, "spec.reinvocationPolicy", ["IfNeeded", "Never"]),
  ];
}

function checkMutation({ patchType, jsonPatch, applyConfiguration }: Mutation, path: string, env: Env): FieldError[] {
  switch (patchType) {
    case "JSONPatch":
      return [
        ...checkPatch(jsonPatch, { path: `${path}.jsonPatch`, patchType, env }),
        ...(applyConfiguration === undefined ? [] : [misplaced(path, "applyConfiguration", patchType)]),
      ];
    case "ApplyConfiguration":
      return [
        ...checkPatch(applyConfiguration, { path: `${path}.applyConfiguration`, patchType, env }),
        ...(jsonPatch === undefined ? [] : [misplaced(path, "jsonPatch", patchType)]),
      ];
    default:
      return requireOneOf(patchType, `${path}.patchType`, ["ApplyConfiguration", "JSONPatch"]);
  }
}

function misplaced(path: string, field: string, patchType: string): FieldError {
  return fieldErrors.invalid(`${path}.${field}`, `{${field}}`, `must not be specified when patchType is ${patchType}`);
}

interface PatchPlace {
  readonly path: string;
  readonly patchType: "JSONPatch" | "ApplyConfiguration";
  readonly env: Env;
}

function checkPatch(patch: { readonly expression?: string } | undefined, place: PatchPlace): FieldError[] {
  const { path, patchType, env } = place;
  if (patch === undefined) return [fieldErrors.required(path, `must be specified when patchType is ${patchType}`)];
  const source = (patch.expression ?? "").trim();
  if (source === "") return [fieldErrors.required(`${path}.expression`)];
  const types = [patchType === "JSONPatch" ? patchesType : appliedType];
  return checkExpression(source, `${path}.expression`, { env, types });
}

/** Checks a reference to a field of the policy, written as a JSONPath. */
function checkFieldRef(fieldRef: string, path: string): FieldError[] {
  if (fieldRef === "") return [fieldErrors.required(path)];
  try {
    compileJsonPath(`{${fieldRef}}`);
    return [];
  } catch (error) {
    if (!(error instanceof JsonPathError)) throw error;
    return [fieldErrors.invalid(path, fieldRef, `invalid JSONPath: ${error.message}`)];
  }
}
