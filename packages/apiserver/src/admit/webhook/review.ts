/** AdmissionReview: the question that a webhook is asked, and what counts as an answer. */
import { isStatus, quote, toGoJson, type Json, type Status } from "@capstan/model";
import type { AdmissionRequest, ServedKind } from "../admission.ts";
import { describeUser } from "../expression/variables.ts";
import type { Pair } from "../forms.ts";

/** The versions of reviews, in no order: a webhook says which it prefers. */
const versions: ReadonlySet<string> = new Set(["v1", "v1beta1"]);

/** The version of the review that a webhook will get. */
export function reviewVersion(accepted: readonly string[]): string | undefined {
  return accepted.find((version) => versions.has(version));
}

/** What a review is made from. */
export interface ReviewParts {
  readonly version: string;
  readonly uid: string;
  readonly request: AdmissionRequest;
  readonly form: ServedKind;
  readonly pair: Pair;
}

/** The text of a review. */
export function writeReview({ version, uid, request, form, pair }: ReviewParts): string {
  const { kind, resource, subresource, name, namespace, operation, user, dryRun, options } = request;
  return toGoJson({
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
  });
}

function ordered({ group, version, kind }: ServedKind["kind"]): Json {
  return { group, version, kind };
}

/** What a webhook answered. */
export interface Verdict {
  readonly allowed: boolean;
  readonly result: Status | undefined;
  /** The operations of a JSON patch, undecoded. */
  readonly patch: string;
  readonly warnings: readonly string[];
  readonly auditAnnotations: { readonly [key: string]: string };
}

interface Answered {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly response?: {
    readonly uid?: string;
    readonly allowed?: boolean;
    readonly status?: unknown;
    readonly patch?: string | null;
    readonly patchType?: string | null;
    readonly warnings?: readonly string[] | null;
    readonly auditAnnotations?: { readonly [key: string]: string } | null;
  } | null;
}

/** Reads an answer; a text says why it is none. */
export function readReview(
  body: unknown,
  { version, uid, mutates }: { readonly version: string; readonly uid: string; readonly mutates: boolean },
): Verdict | string {
  const { kind = "", apiVersion = "", response } = body as Answered;
  if (response === undefined || response === null) return invalid("webhook response was absent");
  if (version === "v1") {
    const problem = strictProblem({ kind, apiVersion }, response, { uid, mutates });
    if (problem !== undefined) return problem;
  }
  const { allowed, status, patch, warnings, auditAnnotations } = response;
  return {
    allowed: allowed === true,
    result: status === undefined || status === null ? undefined : asStatus(status),
    patch: mutates && typeof patch === "string" ? Buffer.from(patch, "base64").toString("utf8") : "",
    warnings: warnings ?? [],
    auditAnnotations: auditAnnotations ?? {},
  };
}

function invalid(why: string): string {
  return `received invalid webhook response: ${why}`;
}

/** Webhooks send parts of a Status, often without its kind. */
function asStatus(value: unknown): Status {
  return isStatus(value) ? value : ({ kind: "Status", apiVersion: "v1", ...(value as object) } as unknown as Status);
}

/** The older version was never this particular. */
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
  return patchProblem(patch ?? "", patchType ?? undefined, expected.mutates);
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
  if (patchType === "") return invalid('webhook returned invalid response.patchType of ""');
  return patchType === undefined || patchType === "JSONPatch"
    ? undefined
    : `unsupported patch type ${quote(patchType)}`;
}
