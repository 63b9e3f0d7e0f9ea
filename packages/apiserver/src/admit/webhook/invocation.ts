/** Whether a webhook is called for a request, and with which version of the object. */
import { apiErrors } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, ServedKind } from "../admission.ts";
import { expressionCache } from "../expression/compiled.ts";
import { checkConditions } from "../expression/match-conditions.ts";
import { admissionEnv, admissionVariables } from "../expression/variables.ts";
import { matchRules } from "../match/rules.ts";
import { selectorsMatch } from "../match/selectors.ts";
import type { Forms } from "../forms.ts";
import type { Webhook } from "./hook.ts";

const compiled = expressionCache(admissionEnv);

/** The version of the object for the webhook; `undefined` if it is not called. */
export async function invocationOf(
  hook: Webhook,
  forms: Forms,
  context: AdmissionContext,
): Promise<ServedKind | undefined> {
  const { request } = forms;
  const form = matchRules(request, hook.rules ?? [], hook.matchPolicy);
  if (form === undefined || !selectorsMatch(request, hook, context.lookup)) return undefined;
  return (await conditionsHold(hook, form, { forms, context })) ? form : undefined;
}

interface Surroundings {
  readonly forms: Forms;
  readonly context: AdmissionContext;
}

async function conditionsHold(
  { matchConditions = [], failurePolicy }: Webhook,
  form: ServedKind,
  { forms, context }: Surroundings,
): Promise<boolean> {
  if (matchConditions.length === 0) return true;
  const { request } = forms;
  const { object, oldObject } = await forms.in(form);
  const variables = admissionVariables({ request, form, object, oldObject, authorizer: context.authorizer });
  const conditions = matchConditions.map(({ expression }) => compiled(expression));
  const result = checkConditions(conditions, variables, failurePolicy);
  if (result.type === "error") throw conditionError(request, result.message);
  return result.type === "match";
}

function conditionError({ resource, name }: AdmissionRequest, message: string): Error {
  return apiErrors.forbidden(resource, name, message);
}
