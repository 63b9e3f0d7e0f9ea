/** AdmissionReview: the request to a webhook, and the validation of its response. */
import { parseApiVersion, ParseError, quote, toGoJson, type Json, type Status } from "@capstan/model";
import type { JsonObject } from "../../builtin/draft.ts";
import { GoReader } from "../../decode/go-codec.ts";
import { declareStruct } from "../../decode/go-type.ts";
import { metaFieldProblem } from "../../decode/object.ts";
import { TypeMismatchError } from "../../decode/strict.ts";
import type { AdmissionRequest, ServedKind } from "../admission.ts";
import { describeUser } from "../expression/variables.ts";
import type { Pair } from "../forms.ts";

/** The supported versions, unordered: the webhook lists its preference. */
const versions: ReadonlySet<string> = new Set(["v1", "v1beta1"]);

/** The version of the review for a webhook. */
export function reviewVersion(accepted: readonly string[]): string | undefined {
  return accepted.find((version) => versions.has(version));
}

/** The inputs of a review. */
export interface ReviewParts {
  readonly version: string;
  readonly uid: string;
  readonly request: AdmissionRequest;
  readonly form: ServedKind;
  readonly pair: Pair;
}

/** The JSON of a review. */
export function writeReview({ version, uid, request, form, pair }: ReviewParts): string {
  const { kind, resource, subresource, name, namespace, operation, user, dryRun, options } = request;
  const review = {
    kind: "AdmissionReview",
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      kind: ordered(form.kind),
      resource: { group: form.group, version: form.version, resource: form.resource },
      ...(subresource === "" ? {} : { subResource: subresource }),
      requestKind: ordered(kind),
      requestResource: { group: resource.group, version: resource.version, resource: resource.resource },
      ...(subresource === "" ? {} : { requestSubResource: subresource }),
      ...(name === "" ? {} : { name }),
      ...(namespace === "" ? {} : { namespace }),
      operation,
      userInfo: describeUser(user) as Json,
      object: (pair.object ?? null) as unknown as Json,
      oldObject: (pair.oldObject ?? null) as unknown as Json,
      dryRun,
      options: options as unknown as Json,
    },
  };
  return `${toGoJson(review)}\n`;
}

function ordered({ group, version, kind }: ServedKind["kind"]): Json {
  return { group, version, kind };
}

/** The verdict of a webhook. */
export interface Verdict {
  readonly allowed: boolean;
  readonly result: Status | undefined;
  /** The operations of a JSON patch as text. */
  readonly patch: string;
  readonly patchType: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: { readonly [key: string]: string };
}

/** A decoded response of a webhook. */
export interface Answered {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: {
    readonly uid?: string;
    readonly allowed?: boolean;
    readonly status?: Status;
    /** In base64. */
    readonly patch?: string;
    readonly patchType?: string;
    readonly warnings?: readonly string[];
    readonly auditAnnotations?: { readonly [key: string]: string };
  };
}

declareStruct("admission/v1.AdmissionResponse", [
  ["uid", "string=types.UID", 0],
  ["allowed", "bool", 0],
  ["status", "*@meta/v1.Status", 1],
  ["patch", "bytes", 1],
  ["patchType", "*string=v1.PatchType", 1],
  ["auditAnnotations", "{}string", 1],
  ["warnings", "[]string", 1],
]);

const answerType = declareStruct("admission/v1.AdmissionReview", [
  ["kind", "string", 1],
  ["apiVersion", "string", 1],
  ["response", "*@admission/v1.AdmissionResponse", 1],
]);

/** Decodes a response; throws a TypeMismatchError if a field has the wrong type. */
export function decodeAnswer(value: JsonObject, version: string): Answered {
  checkKind(value, version);
  return new GoReader(undefined, "text").readObject(answerType, value) as Answered;
}

/** If apiVersion and kind are set, they must be AdmissionReview in the version of the request. */
function checkKind(value: JsonObject, version: string): void {
  const [apiVersion, kind] = [metaField(value, "apiVersion"), metaField(value, "kind")];
  const { group, version: given } = groupVersionOf(apiVersion);
  if (apiVersion === "" || kind === "") return;
  const from = knownType({ group, version: given, kind });
  if (from === undefined) {
    const place =
      given === "__internal" ? `the internal version of group ${quote(group)}` : `version ${quote(apiVersion)}`;
    throw new TypeMismatchError(
      `no kind ${quote(kind)} is registered for ${place} in scheme "pkg/runtime/scheme.go:111"`,
    );
  }
  const to = `${version}.AdmissionReview`;
  if (from !== to) throw new TypeMismatchError(`converting (${from}) to (${to}): unknown conversion`);
}

function metaField(value: JsonObject, name: string): string {
  const given = value[name];
  const problem = metaFieldProblem(given, name);
  if (problem !== undefined) throw new TypeMismatchError(problem);
  return typeof given === "string" ? given : "";
}

function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  try {
    return parseApiVersion(apiVersion);
  } catch (error) {
    throw error instanceof ParseError ? new TypeMismatchError(error.message) : error;
  }
}

/** Kinds that exist in every version of every group, and those that each group has in addition. */
const unversioned = new Set(["Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList"]);
const beside = /^(?:(?:List|Get|Delete|Create|Update|Patch)Options|WatchEvent)$/;

/** The Go type of a kind in the scheme for webhook responses. */
function knownType({ group, version, kind }: { group: string; version: string; kind: string }): string | undefined {
  if (unversioned.has(kind)) return `v1.${kind}`;
  if (group !== "admission.k8s.io" || !versions.has(version)) return undefined;
  if (kind === "AdmissionReview") return `${version}.AdmissionReview`;
  return beside.test(kind) ? `v1.${kind}` : undefined;
}

/** Reads a response; returns the error as text. */
export function readReview(
  { kind = "", apiVersion = "", response }: Answered,
  { version, uid, mutates }: { readonly version: string; readonly uid: string; readonly mutates: boolean },
): Verdict | string {
  if (response === undefined) return invalid("webhook response was absent");
  if (version === "v1") {
    const problem = strictProblem({ kind, apiVersion }, response, { uid, mutates });
    if (problem !== undefined) return problem;
  }
  const { allowed, status, patch = "", patchType = "", warnings, auditAnnotations } = response;
  return {
    allowed: allowed === true,
    result: status,
    patch: mutates ? Buffer.from(patch, "base64").toString("utf8") : "",
    // v1beta1 did not have a patch type.
    patchType: version === "v1" ? patchType : "JSONPatch",
    warnings: warnings ?? [],
    auditAnnotations: auditAnnotations ?? {},
  };
}

function invalid(why: string): string {
  return `received invalid webhook response: ${why}`;
}

/** The stricter checks of v1. */
function strictProblem(
  { kind, apiVersion }: { readonly kind: string; readonly apiVersion: string },
  { uid = "", patch, patchType }: NonNullable<Answered["response"]>,
  expected: { readonly uid: string; readonly mutates: boolean },
): string | undefined {
  if (uid !== expected.uid) return invalid(`expected response.uid=${quote(expected.uid)}, got ${quote(uid)}`);
  if (kind !== "AdmissionReview" || apiVersion !== "admission.k8s.io/v1") {
    const got = `${apiVersion === "" ? "/" : apiVersion}, Kind=${kind}`;
    return invalid(`expected webhook response of admission.k8s.io/v1, Kind=AdmissionReview, got ${got}`);
  }
  return patchProblem(patch ?? "", patchType, expected.mutates);
}

function patchProblem(patch: string, patchType: string | undefined, mutates: boolean): string | undefined {
  if (!mutates) {
    if (patch !== "") return invalid("validating webhook may not return response.patch");
    return patchType === undefined ? undefined : invalid("validating webhook may not return response.patchType");
  }
  if (patch !== "" && patchType === undefined) {
    return invalid("webhook returned response.patch but not response.patchType");
  }
  if (patch === "" && patchType !== undefined) {
    return invalid("webhook returned response.patchType but not response.patch");
  }
  return patchType === "" ? invalid('webhook returned invalid response.patchType of ""') : undefined;
}
