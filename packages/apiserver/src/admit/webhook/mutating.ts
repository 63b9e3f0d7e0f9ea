/** MutatingAdmissionWebhook: webhooks change the object in order, and run once more if a later one changed it. */
import { apiErrors, cloneJson, isDeepEqual, quote, toGoJson, type StatusError } from "@capstan/model";
import { applyJsonPatch, PatchError, type JsonObject } from "@capstan/patch";
import type { AnyDraft, JsonValue } from "../../builtin/draft.ts";
import { JsonSyntaxError, parseJson } from "../../decode/json-text.ts";
import { TypeMismatchError } from "../../decode/strict.ts";
import type { AdmissionContext, AdmissionRequest, AdmissionStep } from "../admission.ts";
import { isExempt } from "../match/rules.ts";
import { ask, failure, type Question } from "./call.ts";
import { Forms } from "../forms.ts";
import { checkPatchedKind } from "../patched-kind.ts";
import { reinvocations } from "../reinvocation.ts";
import { hooksOf, type PlacedHook } from "./hook.ts";
import { invocationOf } from "./invocation.ts";
import type { Verdict } from "./review.ts";

export const mutatingWebhooks: AdmissionStep = {
  name: "MutatingAdmissionWebhook",
  handles: () => true,
  mutate(request, context) {
    if (isExempt(request)) return undefined;
    const hooks = hooksOf("mutating", context.lookup);
    return hooks.length === 0 ? undefined : dispatch(request, hooks, context);
  },
};

const reinvocationOf = reinvocations();

async function dispatch(
  request: AdmissionRequest,
  hooks: readonly PlacedHook[],
  context: AdmissionContext,
): Promise<void> {
  const state = reinvocationOf(request);
  const { rounds } = request;
  state.begin(request);
  const forms = new Forms(request);
  for (const [index, { id, hook, configuration }] of hooks.entries()) {
    const form = await invocationOf(hook, forms, context);
    if (form === undefined || state.isLeftOut(request, id)) continue;
    const place = `mutation.webhook.admission.k8s.io/round_${rounds.isSecond ? 1 : 0}_index_${index}`;
    const isChanged = await changeNoted({ hook, form, forms, mutates: true, place, configuration }, context);
    if (isChanged) {
      state.wantAgain();
      rounds.isSecondWanted = true;
    }
    if (hook.reinvocationPolicy === "IfNeeded") state.invoked(id);
  }
  state.end(request);
}

/** A webhook with its position in the audit log. */
interface PlacedQuestion extends Question {
  readonly place: string;
  readonly configuration: string;
}

/** Whether the webhook changed the object; the result is recorded in the audit log. */
async function changeNoted(question: PlacedQuestion, context: AdmissionContext): Promise<boolean> {
  const { place, configuration, hook, forms } = question;
  let mutated = false;
  try {
    return (mutated = await change(question, context));
  } finally {
    forms.request.annotate(place, toGoJson({ configuration, webhook: hook.name, mutated }));
  }
}

async function change(question: PlacedQuestion, context: AdmissionContext): Promise<boolean> {
  const outcome = await ask(question, context);
  switch (outcome.type) {
    case "denied":
      throw outcome.error;
    case "failed":
      return passOver(question, outcome.error);
    case "allowed": {
      const patch = readPatch(outcome.verdict);
      if (typeof patch !== "string") return applyPatch(question, patch);
      return passOver(question, failure(question.hook, patch));
    }
  }
}

/** A failed webhook is skipped if its failure policy allows it. */
function passOver({ hook, place, forms }: PlacedQuestion, error: StatusError): false {
  if (hook.failurePolicy !== "Ignore") throw error;
  forms.request.annotate(`failed-open.${place}`, hook.name);
  return false;
}

async function applyPatch({ hook, form, forms }: Question, patch: readonly unknown[]): Promise<boolean> {
  if (patch.length === 0) return false;
  const { object } = await forms.in(form);
  if (object === undefined) {
    const why = `admission webhook ${quote(hook.name)} attempted to modify the object, which is not supported for this operation`;
    throw apiErrors.internalError(why);
  }
  const patched = patchObject(object, patch);
  checkPatchedKind(patched, form);
  if (isDeepEqual(patched, object)) return false;
  try {
    await forms.replace(patched, form);
  } catch (error) {
    if (!(error instanceof TypeMismatchError)) throw error;
    throw apiErrors.internalError(error.message);
  }
  return true;
}

/** The operations, or the error. */
function readPatch({ patch: text, patchType }: Verdict): readonly unknown[] | string {
  if (text === "") return [];
  const undecodable = (why: string): string => `received undecodable patch in webhook response: ${why}`;
  try {
    const patch = parseJson(text);
    if (patch === null) return [];
    if (!Array.isArray(patch))
      return undecodable(`json: cannot unmarshal ${jsonTypeOf(patch)} into Go value of type jsonpatch.Patch`);
    const odd = patch.find((operation) => typeof operation !== "object" || Array.isArray(operation));
    if (odd !== undefined)
      return undecodable(`json: cannot unmarshal ${jsonTypeOf(odd)} into Go value of type jsonpatch.Operation`);
    if (patch.length > 0 && patchType !== "JSONPatch") return `unsupported patch type ${quote(patchType)}`;
    return patch;
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return undecodable(error.message);
  }
}

function jsonTypeOf(value: JsonValue): string {
  if (Array.isArray(value)) return "array";
  return typeof value === "boolean" ? "bool" : typeof value;
}

function patchObject(object: AnyDraft, patch: readonly unknown[]): AnyDraft {
  try {
    const document = cloneJson(object) as unknown as JsonObject;
    return applyJsonPatch(document as never, patch as never) as unknown as AnyDraft;
  } catch (error) {
    if (!(error instanceof PatchError)) throw error;
    throw apiErrors.internalError(error.message);
  }
}
