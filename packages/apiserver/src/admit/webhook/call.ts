/** Calls one webhook: sends the review, applies the timeout, and distinguishes denials from failures. */
import { apiErrors, quote, StatusError, type Status } from "@capstan/model";
import { parseJsonLiterals } from "../../decode/json-text.ts";
import { TypeMismatchError } from "../../decode/strict.ts";
import { parseYaml } from "../../decode/yaml-text.ts";
import { addressOf, authorityOf, noPlace, placeOf } from "../../outgoing/client-config.ts";
import type { OutgoingAnswer } from "../../outgoing/outgoing.ts";
import { post } from "../../outgoing/post.ts";
import type { AdmissionContext, AdmissionRequest, ServedKind } from "../admission.ts";
import type { Forms } from "../forms.ts";
import type { Webhook } from "./hook.ts";
import { decodeAnswer, readReview, reviewVersion, writeReview, type Answered, type Verdict } from "./review.ts";

/** The result of a webhook call. */
export type Outcome =
  | { readonly type: "allowed"; readonly verdict: Verdict }
  | { readonly type: "denied"; readonly error: StatusError }
  /** The call failed; the failure policy decides. */
  | { readonly type: "failed"; readonly error: StatusError };

/** A webhook, and the request it is called for. */
export interface Question {
  readonly hook: Webhook;
  readonly form: ServedKind;
  readonly forms: Forms;
  readonly mutates: boolean;
}

export async function ask(question: Question, context: AdmissionContext): Promise<Outcome> {
  const { hook, forms } = question;
  const { request } = forms;
  if (request.dryRun && hook.sideEffects !== "None" && hook.sideEffects !== "NoneOnDryRun") {
    const error = apiErrors.badRequest(`admission webhook ${quote(hook.name)} does not support dry run`);
    return { type: "denied", error };
  }
  const verdict = await verdictOf(question, context);
  if (typeof verdict === "string") return { type: "failed", error: failure(hook, verdict) };
  tell(request, hook, verdict);
  if (verdict.allowed) return { type: "allowed", verdict };
  return { type: "denied", error: denial(hook.name, verdict.result) };
}

function tell(request: AdmissionRequest, { name }: Webhook, { warnings, auditAnnotations }: Verdict): void {
  for (const [key, value] of Object.entries(auditAnnotations)) request.annotate(`${name}/${key}`, value);
  for (const warning of warnings) request.warn(warning);
}

/** The verdict, or the error. */
async function verdictOf(
  { hook, form, forms, mutates }: Question,
  context: AdmissionContext,
): Promise<Verdict | string> {
  const version = reviewVersion(hook.admissionReviewVersions);
  if (version === undefined) {
    return "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)";
  }
  const uid = context.uid();
  const review = { version, uid, request: forms.request, form, pair: await forms.in(form) };
  const answer = await send(hook, writeReview(review), context);
  if (typeof answer === "string") return `failed to call webhook: ${answer}`;
  const body = decode(answer, version);
  if (typeof body === "string") return `failed to call webhook: ${body}`;
  return readReview(body, { version, uid, mutates });
}

const defaultSeconds = 10;

/** The HTTP response, or the error. */
async function send(hook: Webhook, body: string, context: AdmissionContext): Promise<OutgoingAnswer | string> {
  const seconds = hook.timeoutSeconds ?? defaultSeconds;
  const url = `${addressOf(hook.clientConfig)}?timeout=${seconds}s`;
  const connectTo = await placeOf(hook.clientConfig, context.resolveService).catch(noPlace);
  if (typeof connectTo === "string") return `Post ${quote(url)}: ${connectTo}`;
  const headers = {
    "content-type": "application/json",
    accept: "application/json, */*",
    "user-agent": "kube-apiserver-admission",
  };
  const authority = authorityOf(hook.clientConfig);
  return post({ url, headers, body, authority, connectTo, patience: seconds * 1000 }, context);
}

/** The decoded response, or the error. */
function decode({ status, headers, body }: OutgoingAnswer, version: string): Answered | string {
  const text = Buffer.from(body).toString("utf8");
  if (status < 200 || status > 206) return toldBy(text) ?? unexpected(status, isText(headers) ? text : "unknown");
  if (text === "") {
    const type = String(headers["content-type"] ?? "application/json");
    return `0-length response with status code: ${status} and content type: ${type}`;
  }
  const problem = "couldn't get version/kind; json parse error: ";
  try {
    // A body that is not JSON is parsed as YAML, where almost everything is a string.
    const value = text.trimStart().startsWith("{") ? parseJsonLiterals(text) : parseYaml(text);
    if (typeof value === "object" && !Array.isArray(value)) return decodeAnswer(value ?? {}, version);
    const type = Array.isArray(value) ? "array" : typeof value;
    return `${problem}json: cannot unmarshal ${type} into Go value of type ${typeMetaInGo}`;
  } catch (error) {
    if (error instanceof TypeMismatchError) return error.message;
    return problem + (error instanceof Error ? error.message : String(error));
  }
}

/** The message of a Status in place of a review. */
function toldBy(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as Partial<Status> | null;
    return value?.kind === "Status" && value.apiVersion === "v1" ? value.message : undefined;
  } catch {
    return undefined;
  }
}

/** Only text bodies are quoted; a missing content type counts as text. */
function isText({ "content-type": type }: OutgoingAnswer["headers"]): boolean {
  return type === undefined || String(type).startsWith("text/");
}

const typeMetaInGo =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

function unexpected(code: number, serverMessage: string): string {
  const { message } = apiErrors.genericServerResponse({
    code,
    verb: "POST",
    resource: { group: "", resource: "" },
    name: "",
    serverMessage: serverMessage.trim(),
    retryAfterSeconds: 0,
    isUnexpected: true,
  });
  return message;
}

/** The error for a webhook that cannot be called or returns an invalid response. */
export function failure({ name }: Webhook, reason: string): StatusError {
  return apiErrors.internalError(`failed calling webhook ${quote(name)}: ${reason}`);
}

/** A denial with the message of the webhook and the required fields of a Status. */
function denial(name: string, result: Status | undefined): StatusError {
  const denied = `admission webhook ${quote(name)} denied the request`;
  const { message = "", reason = "", code = 0, status = "", details, metadata } = result ?? ({} as Partial<Status>);
  const why = message === "" ? reason : message;
  return new StatusError({
    kind: "Status",
    apiVersion: "v1",
    metadata: metadata ?? {},
    status: status === "" || status === "Success" ? "Failure" : status,
    message: why === "" ? `${denied} without explanation` : `${denied}: ${why}`,
    ...(reason === "" ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code: code < 400 ? 400 : code,
  });
}
