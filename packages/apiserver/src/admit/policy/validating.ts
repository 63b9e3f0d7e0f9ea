/** ValidatingAdmissionPolicy: a failed validation denies, warns or is audited, as the binding configures. */
import { NULL, STRING } from "@capstan/cel";
import { StatusError, toGoJson, type KubeObject } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "../admission.ts";
import { BudgetExceededError, evaluate, policyBudget, type Budget } from "../expression/compiled.ts";
import { checkConditions } from "../expression/match-conditions.ts";
import type { Scene } from "../expression/variables.ts";
import { Forms } from "../forms.ts";
import { isExempt } from "../match/rules.ts";
import { refusal } from "../target.ts";
import { invocationsFor, type Invocation } from "./invocation.ts";
import { namespaceObjectOf } from "./namespace.ts";
import { boundPolicies, type Binding, type BoundPolicy, type Validation, type ValidatingPolicy } from "./policy.ts";
import { programOf, type Program } from "./program.ts";

export const validatingPolicies: AdmissionStep = {
  name: "ValidatingAdmissionPolicy",
  handles: () => true,
  validate(request, context) {
    if (isExempt(request)) return undefined;
    const bound = boundPolicies<ValidatingPolicy>("validating", context.lookup);
    return bound.length === 0 ? undefined : dispatch(request, bound, context);
  },
};

/** A failed validation of a policy. */
interface Denial {
  readonly policy: ValidatingPolicy;
  readonly binding: Binding | undefined;
  readonly message: string;
  readonly reason: string;
}

async function dispatch(
  request: AdmissionRequest,
  bound: readonly BoundPolicy<ValidatingPolicy>[],
  context: AdmissionContext,
): Promise<void> {
  const { invocations, misconfigured } = invocationsFor(request, bound, context);
  const denials: Denial[] = misconfigured
    .filter(({ policy }) => policy.spec.failurePolicy !== "Ignore")
    .map((one) => ({ ...one, reason: "" }));
  const annotations: Annotations = new Map();
  const forms = new Forms(request);
  for (const invocation of invocations) {
    const evaluation = await evaluateOne(invocation, forms, context);
    denials.push(...act(request, invocation, evaluation));
    for (const [key, value] of evaluation.annotations) {
      const name = `${invocation.policy.metadata.name}/${key}`;
      annotations.set(name, [...(annotations.get(name) ?? []), value]);
    }
  }
  for (const [key, values] of annotations) request.annotate(key, [...new Set(values)].join(", "));
  const [first] = denials;
  if (first !== undefined) throw denialError(request, first);
}

type Annotations = Map<string, readonly string[]>;

/** The result of one evaluation. */
interface Evaluation {
  readonly failures: readonly Failure[];
  readonly annotations: readonly (readonly [string, string])[];
  /** Audit annotations that failed to evaluate: they deny the request whatever the binding configures. */
  readonly annotationErrors: readonly string[];
}

interface Failure {
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

async function evaluateOne(
  { policy, form, params }: Invocation<ValidatingPolicy>,
  forms: Forms,
  context: AdmissionContext,
): Promise<Evaluation> {
  const { request } = forms;
  const { object, oldObject } = await forms.in(form);
  const namespaceObject = namespaceObjectOf(request, context);
  const { authorizer } = context;
  const scene = { request, form, object, oldObject, authorizer, namespaceObject };
  return runProgram(policy, programOf(policy, false), { scene, params });
}

interface Inputs {
  readonly scene: Scene;
  readonly params: KubeObject | undefined;
}

const nothing: Evaluation = { failures: [], annotations: [], annotationErrors: [] };

function runProgram(policy: ValidatingPolicy, program: Program, { scene, params }: Inputs): Evaluation {
  const { failurePolicy } = policy.spec;
  const failed = (message: string): Evaluation =>
    failurePolicy === "Ignore" ? nothing : { ...nothing, failures: [{ index: 0, message, reason: "" }] };
  const budget: Budget = { remaining: policyBudget };
  const variables = program.bind(scene, params, budget);
  const matched = checkConditions(program.conditions, variables, failurePolicy);
  if (matched.type === "error") return failed(matched.message);
  if (matched.type === "skip") return nothing;
  try {
    budget.remaining = policyBudget;
    const failures = (policy.spec.validations ?? []).flatMap((validation, index) =>
      validate(validation, index, { program, variables, budget, failurePolicy }),
    );
    return { failures, ...annotate(policy, program, program.bind(scene, params, budget)) };
  } catch (error) {
    if (!(error instanceof BudgetExceededError)) throw error;
    return failed(error.message);
  }
}

interface Running {
  readonly program: Program;
  readonly variables: ReturnType<Program["bind"]>;
  readonly budget: Budget;
  readonly failurePolicy: string | undefined;
}

function validate(validation: Validation, index: number, running: Running): Failure[] {
  const { program, variables, budget, failurePolicy } = running;
  const result = evaluate(program.expression(validation.expression, []), variables, budget);
  if (result.type === "error") {
    return failurePolicy === "Ignore" ? [] : [{ index, message: result.message, reason: "" }];
  }
  if (result.value === true) return [];
  return [{ index, message: messageOf(validation, running), reason: validation.reason ?? "Invalid" }];
}

const longestMessage = 5 * 1024;

/** The result of the message expression if it is valid, else the message, else the expression itself. */
function messageOf({ expression, message = "", messageExpression = "" }: Validation, running: Running): string {
  const made = messageExpression === "" ? "" : evaluateMessage(messageExpression, running);
  const isGood = made !== "" && !made.includes("\n") && Buffer.byteLength(made) <= longestMessage;
  if (isGood) return made;
  const stated = message.trim();
  return stated === "" ? `failed expression: ${expression.trim()}` : stated;
}

function evaluateMessage(source: string, { program, variables, budget }: Running): string {
  const result = evaluate(program.expression(source, [STRING]), variables, budget);
  return result.type === "value" && typeof result.value === "string" ? result.value.trim() : "";
}

const longestAnnotation = 10 * 1024;

function annotate(
  { spec }: ValidatingPolicy,
  program: Program,
  variables: ReturnType<Program["bind"]>,
): Pick<Evaluation, "annotations" | "annotationErrors"> {
  const budget: Budget = { remaining: policyBudget };
  const annotations: [string, string][] = [];
  const annotationErrors: string[] = [];
  for (const { key, valueExpression } of spec.auditAnnotations ?? []) {
    const result = evaluate(program.expression(valueExpression, [STRING, NULL]), variables, budget);
    if (result.type === "error") {
      if (spec.failurePolicy !== "Ignore") annotationErrors.push(result.message);
    } else if (typeof result.value === "string" && result.value.trim() !== "") {
      annotations.push([key, result.value.trim().slice(0, longestAnnotation)]);
    }
  }
  return { annotations, annotationErrors };
}

/** Executes the actions of the binding for each failure; returns the denials. */
function act(
  request: AdmissionRequest,
  { policy, binding }: Invocation<ValidatingPolicy>,
  { failures, annotationErrors }: Evaluation,
): Denial[] {
  const actions = binding.spec.validationActions ?? [];
  const [name, bindingName] = [policy.metadata.name ?? "", binding.metadata.name ?? ""];
  for (const failure of failures) {
    if (actions.includes("Audit")) recordFailure(request, binding, failure);
    if (actions.includes("Warn")) {
      const text = `Validation failed for ValidatingAdmissionPolicy '${name}' with binding '${bindingName}': ${failure.message}`;
      request.warn(text);
    }
  }
  const denied = actions.includes("Deny") ? failures : [];
  return [
    ...denied.map(({ message, reason }) => ({ policy, binding, message, reason })),
    ...annotationErrors.map((message) => ({ policy, binding, message, reason: "" })),
  ];
}

function recordFailure(request: AdmissionRequest, { metadata, spec }: Binding, { index, message }: Failure): void {
  const value = {
    message,
    policy: spec.policyName,
    binding: metadata.name ?? "",
    expressionIndex: index,
    validationActions: spec.validationActions ?? [],
  };
  request.annotate("validation.policy.admission.k8s.io/validation_failure", toGoJson([value]));
}

const codes: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

function denialError(request: AdmissionRequest, { policy, binding, message, reason }: Denial): StatusError {
  const name = `ValidatingAdmissionPolicy '${policy.metadata.name}'`;
  const whole =
    binding === undefined
      ? `${name} denied request: ${message}`
      : `${name} with binding '${binding.metadata.name}' denied request: ${message}`;
  const { status } = refusal(request, whole);
  const given = reason === "" ? "Invalid" : reason;
  return new StatusError({
    ...status,
    reason: given,
    code: (Object.hasOwn(codes, given) ? codes[given] : undefined) ?? 422,
    details: { ...status.details, causes: [...(status.details?.causes ?? []), { message: whole }] },
  });
}
