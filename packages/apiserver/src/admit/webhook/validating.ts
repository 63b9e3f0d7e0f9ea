/** ValidatingAdmissionWebhook: all webhooks are called concurrently; one denial is enough. */
import type { StatusError } from "@capstan/model";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "../admission.ts";
import { isExempt } from "../match/rules.ts";
import { ask, type Question } from "./call.ts";
import { Forms } from "../forms.ts";
import { hooksOf, type PlacedHook } from "./hook.ts";
import { invocationOf } from "./invocation.ts";

export const validatingWebhooks: AdmissionStep = {
  name: "ValidatingAdmissionWebhook",
  handles: () => true,
  validate(request, context) {
    if (isExempt(request)) return undefined;
    const hooks = hooksOf("validating", context.lookup);
    return hooks.length === 0 ? undefined : dispatch(request, hooks, context);
  },
};

async function dispatch(
  request: AdmissionRequest,
  hooks: readonly PlacedHook[],
  context: AdmissionContext,
): Promise<void> {
  const forms = new Forms(request);
  const questions: Question[] = [];
  for (const { hook } of hooks) {
    const form = await invocationOf(hook, forms, context);
    if (form !== undefined) questions.push({ hook, form, forms, mutates: false });
  }
  const refusals: StatusError[] = [];
  await Promise.all(
    questions.map(async (question, index) => {
      const { hook } = question;
      const outcome = await ask(question, context);
      if (outcome.type === "allowed") return;
      if (outcome.type === "failed" && hook.failurePolicy === "Ignore")
        request.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, hook.name);
      else refusals.push(outcome.error);
    }),
  );
  // The first denial in time, not in order, as in kube-apiserver.
  const [first] = refusals;
  if (first !== undefined) throw first;
}
