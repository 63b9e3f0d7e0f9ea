/** MutatingAdmissionPolicy: expressions compute changes of the object. */
import { cloneJson, isDeepEqual, StatusError } from "@capstan/model";
import type { JsonValue } from "../../builtin/draft.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "../admission.ts";
import { BudgetExceededError, policyBudget } from "../expression/compiled.ts";
import { checkConditions } from "../expression/match-conditions.ts";
import type { Scene } from "../expression/variables.ts";
import { Forms } from "../forms.ts";
import { checkPatchedFields, checkPatchedKind } from "../patched-kind.ts";
import { isExempt } from "../match/rules.ts";
import { reinvocations } from "../reinvocation.ts";
import { refusal } from "../target.ts";
import { invocationsFor, type Invocation, type Misconfigured } from "./invocation.ts";
import { applyMutation, MutationError } from "./mutation.ts";
import { namespaceObjectOf } from "./namespace.ts";
import { boundPolicies, type BoundPolicy, type MutatingPolicy } from "./policy.ts";
import { programOf } from "./program.ts";

export const mutatingPolicies: AdmissionStep = {
  name: "MutatingAdmissionPolicy",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  mutate(request, context) {
    if (isExempt(request)) return undefined;
    const bound = boundPolicies<MutatingPolicy>("mutating", context.lookup);
    return bound.length === 0 ? undefined : dispatch(request, bound, context);
  },
};

const reinvocationOf = reinvocations();

async function dispatch(
  request: AdmissionRequest,
  bound: readonly BoundPolicy<MutatingPolicy>[],
  context: AdmissionContext,
): Promise<void> {
  const { invocations, misconfigured } = invocationsFor(request, bound, context);
  const state = reinvocationOf(request);
  state.begin(request);
  const forms = new Forms(request);
  let isChanged = false;
  for (const invocation of invocations) {
    const id = keyOf(invocation);
    if (state.isLeftOut(request, id)) continue;
    const outcome = await mutate(invocation, forms, context);
    for (const message of outcome.failures) misconfigured.push({ ...invocation, message });
    if (outcome.isChanged) {
      state.wantAgain();
      isChanged = true;
    }
    if (outcome.isAsked && invocation.policy.spec.reinvocationPolicy === "IfNeeded") state.invoked(id);
  }
  // After a change, all policies with reinvocation run again, including the last one that made a change.
  if (isChanged) {
    state.wantAgain();
    request.rounds.isSecondWanted = true;
  }
  state.end(request);
  refuse(request, misconfigured);
}

function keyOf({ policy, binding, params }: Invocation<MutatingPolicy>): string {
  const { namespace = "", name = "" } = params?.metadata ?? {};
  return [policy.metadata.name, binding.metadata.name, namespace, name].join("/");
}

interface Outcome {
  /** Whether the policy matched the object. */
  readonly isAsked: boolean;
  readonly isChanged: boolean;
  /** One for each failed mutation; the other mutations are applied. */
  readonly failures: readonly string[];
}

async function mutate(
  { policy, form, params }: Invocation<MutatingPolicy>,
  forms: Forms,
  context: AdmissionContext,
): Promise<Outcome> {
  const program = programOf(policy, true);
  const { request } = forms;
  const namespaceObject = namespaceObjectOf(request, context);
  const sceneNow = async (): Promise<Scene> => ({
    request,
    form,
    ...(await forms.in(form)),
    authorizer: context.authorizer,
    namespaceObject,
  });
  const conditions = program.bind(await sceneNow(), params, { remaining: policyBudget });
  const matched = checkConditions(program.conditions, conditions, policy.spec.failurePolicy);
  if (matched.type === "error") return { isAsked: false, isChanged: false, failures: [matched.message] };
  if (matched.type === "skip") return { isAsked: false, isChanged: false, failures: [] };
  const failures: string[] = [];
  let isChanged = false;
  for (const mutation of policy.spec.mutations ?? []) {
    try {
      const scene = await sceneNow();
      if (scene.object === undefined) continue;
      const patched = applyMutation(mutation, { program, scene, params, schema: request.schemaOf(form) });
      if (isDeepEqual(patched, scene.object)) continue;
      checkPatchedKind(patched, form);
      if (mutation.patchType === "JSONPatch") checkPatchedFields(patched as unknown as JsonValue, form);
      await forms.replace(cloneJson(patched), form);
      isChanged = true;
    } catch (error) {
      if (!(error instanceof MutationError) && !(error instanceof BudgetExceededError)) throw error;
      failures.push(error.message);
    }
  }
  return { isAsked: true, isChanged, failures };
}

/** The error lists all failures as causes; its message is the first. */
function refuse(request: AdmissionRequest, misconfigured: readonly Misconfigured<MutatingPolicy>[]): void {
  const failures = misconfigured.filter(({ policy }) => policy.spec.failurePolicy !== "Ignore");
  const messages = failures.map(({ policy, binding, message }) =>
    binding === undefined
      ? `policy "${policy.metadata.name}" denied request: ${message}`
      : `policy '${policy.metadata.name}' with binding '${binding.metadata.name}' denied request: ${message}`,
  );
  const [message] = messages;
  if (message === undefined) return;
  const { status } = refusal(request, "admission request denied by policy");
  const causes = messages.map((one) => ({ message: one }));
  const isEvaluated = failures[0]?.message.startsWith("failed to configure") === false;
  throw new StatusError({
    ...status,
    message,
    ...(isEvaluated ? { reason: "Invalid" } : {}),
    details: { ...status.details, causes: [...(status.details?.causes ?? []), ...causes] },
  });
}
