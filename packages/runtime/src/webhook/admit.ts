/** Runs a resource's `default` and `validate` functions for one write. */
import { jsonPatchBetween } from "@capstan/client";
import { apiErrors, cloneJson, deepFreeze, fieldErrors } from "@capstan/model";
import type { FieldError, Json, KubeObject } from "@capstan/model";
import type { Resource } from "@capstan/schema";
import { oddIn } from "../apply/json-only.ts";
import { messageOf } from "../failure.ts";
import { atUserLine } from "../report/call-site.ts";
import { storageVersion } from "../resource.ts";
import { WebhookError } from "./errors.ts";
import type { AdmissionRequest, AdmissionVerdict } from "./review.ts";

/** Reviews a write, until the signal is aborted. */
export type Admit = (request: AdmissionRequest, signal: AbortSignal) => Promise<AdmissionVerdict>;

/** Runs the resource's `default` function. */
export function defaulting(resource: Resource): Admit {
  return async ({ object }, signal) => {
    const fill = resource.hooks.default;
    if (fill === undefined || object === undefined) return { allowed: true };
    mustBeOf(resource, object);
    // Webhook functions get a spec, which users may omit if nothing in it is required.
    const draft = { spec: {}, ...cloneJson(object) };
    await run("default", resource, async () => {
      const answer: unknown = await fill(draft as unknown as Parameters<typeof fill>[0], { signal });
      mustBeCompleted(draft, answer);
    });
    return { allowed: true, patch: jsonPatchBetween(toJson(object), toJson(draft)) };
  };
}

/** The draft is sent to the server: NaN would arrive as null and replace the user's value. */
function mustBeCompleted(draft: { readonly spec?: unknown }, answer: unknown): void {
  // A return value of a short function is ignored; but another object with a spec is a mistake.
  if (typeof answer === "object" && answer !== null && "spec" in answer && answer !== draft)
    throw new Error("it answered another object, which is ignored. Write into the object that it is given.");
  const { spec } = draft;
  if (typeof spec !== "object" || spec === null || Array.isArray(spec))
    throw new Error("it took the spec away, or put something else in its place. Write into the spec.");
  const odd = oddIn(draft);
  if (odd !== undefined) throw new Error(`${odd}, which JSON does not have. Correct what makes it.`);
}

/** Runs the resource's `validate` function. */
export function validating(resource: Resource): Admit {
  return async (request, signal) => {
    const { validate } = resource.hooks;
    const object = request.operation === "DELETE" ? request.oldObject : request.object;
    if (validate === undefined || object === undefined) return { allowed: true };
    mustBeOf(resource, object);
    const problems: FieldError[] = [];
    const warnings: string[] = [];
    const context = {
      object: deepFreeze(object),
      old: request.operation === "UPDATE" && request.oldObject ? deepFreeze(request.oldObject) : undefined,
      operation: operations[request.operation],
      reject: (field: string, reason: string) => void problems.push(problemAt(object, field, reason)),
      warn: (text: string) => void warnings.push(text),
      signal,
    };
    await run("validate", resource, async () => {
      mustReturnNothing(await validate(context as unknown as Parameters<typeof validate>[0]));
    });
    if (problems.length === 0) return { allowed: true, warnings };
    const { status } = apiErrors.invalid(resource, request.name, problems);
    return { allowed: false, status, warnings };
  };
}

/** A returned verdict would have no effect: the request would be accepted. */
function mustReturnNothing(result: unknown): void {
  if (result === undefined) return;
  const text = typeof result === "object" && result !== null ? "an object" : (JSON.stringify(result) ?? typeof result);
  throw new Error(
    `it returned ${text}, which is no verdict. Call reject(field, reason) to reject the request, and return nothing.`,
  );
}

const operations = { CREATE: "create", UPDATE: "update", DELETE: "delete", CONNECT: "update" } as const;

/** The server sends the storage version, whichever was written, because the webhook is registered for it. */
function mustBeOf(resource: Resource, { apiVersion, kind }: KubeObject): void {
  const expected = `${resource.group}/${storageVersion(resource)}`;
  if (apiVersion === expected && kind === resource.kind) return;
  throw new WebhookError("Misdirected", `Cannot admit a ${kind} of ${apiVersion}: this webhook is for ${expected}.`);
}

/** An exception in a webhook function is a failure of the webhook, not a rejection: its failure policy decides. */
async function run(hook: string, { kind }: Resource, call: () => void | Promise<void>): Promise<void> {
  try {
    await call();
  } catch (cause) {
    throw new WebhookError(
      "HookFailed",
      `The ${hook} function of ${kind} failed: ${messageOf(cause)}${atUserLine(cause)}`,
      { cause },
    );
  }
}

function problemAt(object: KubeObject, field: string, reason: string): FieldError {
  const value = valueAt(toJson(object), field);
  return value === undefined ? fieldErrors.required(field, reason) : fieldErrors.invalid(field, value, reason);
}

/** The value at a path such as `spec.servers[0].name` or `metadata.labels[app.kubernetes.io/name]`. */
function valueAt(value: Json, path: string): Json | undefined {
  let at: Json | undefined = value;
  // linear: the path is written in the operator's program
  for (const [, inBrackets, plain] of path.matchAll(/\[([^\]]*)\]|([^.[\]]+)/gu)) {
    if (typeof at !== "object" || at === null) return undefined;
    const key = inBrackets ?? plain ?? "";
    at = Object.hasOwn(at, key) ? (at as { readonly [key: string]: Json | undefined })[key] : undefined;
  }
  return at;
}

function toJson(object: object): Json {
  // It came from JSON, and webhook functions may only put JSON into it.
  return object as Json;
}
