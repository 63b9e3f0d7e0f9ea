/** Admission webhooks that cases register, well-behaved and not. The last segment of the path is the name. */

import { detours } from "./detours.ts";

/** The parts of a review that responses depend on. */
export interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly name?: string;
    readonly object: { readonly data?: { readonly [key: string]: string } } | null;
  };
}

/** The response of a webhook, or none. */
export type Reply =
  | {
      readonly type: "answer";
      readonly status: number;
      readonly body: string;
      readonly contentType?: string;
      readonly headers?: { readonly [name: string]: string };
    }
  | { readonly type: "silence" }
  | { readonly type: "hang-up" };

/** The behaviour of one webhook. */
export type Hook = (review: Review) => Reply;

const plain = (status: number, body: string, contentType?: string): Hook => {
  return () => ({ type: "answer", status, body, ...(contentType === undefined ? {} : { contentType }) });
};

/** A review with a response, built from the request. */
const responding =
  (respond: (review: Review) => object): Hook =>
  (review) => {
    const { apiVersion, kind, request } = review;
    const response = { uid: request.uid, ...respond(review) };
    return { type: "answer", status: 200, body: JSON.stringify({ apiVersion, kind, response }) };
  };

const refusing = (status?: object): Hook => responding(() => ({ allowed: false, ...(status && { status }) }));
const encoded = (text: string): string => Buffer.from(text).toString("base64");
const patchingWith = (text: string, more: object = {}): Hook =>
  responding(() => ({ allowed: true, patchType: "JSONPatch", patch: encoded(text), ...more }));
const patching = (...operations: object[]): Hook => patchingWith(JSON.stringify(operations));

const refusals: { readonly [name: string]: Hook } = {
  "refuse-bare": refusing(),
  "refuse-message": refusing({ message: "not today" }),
  "refuse-reason": refusing({ reason: "Gone" }),
  "refuse-code": refusing({ code: 418, message: "a teapot" }),
  "refuse-low-code": refusing({ code: 200, message: "low" }),
  "refuse-all": refusing({
    status: "Failure",
    code: 409,
    reason: "Conflict",
    message: "all of it",
    details: { name: "n", kind: "k", causes: [{ reason: "FieldValueInvalid", message: "m", field: "f" }] },
  }),
  "refuse-success": refusing({ status: "Success", code: 422, message: "odd" }),
  "refuse-odd-status": refusing({ status: "Odd", message: "odd" }),
  "refuse-metadata": refusing({ metadata: { resourceVersion: "5" }, message: "with metadata" }),
  "refuse-retry": refusing({ code: 429, reason: "TooManyRequests", details: { retryAfterSeconds: 7 } }),
  "refuse-warning": responding(() => ({ allowed: false, warnings: ["and a warning"], status: { message: "no" } })),
  "refuse-patch": responding(() => ({
    allowed: false,
    patchType: "JSONPatch",
    patch: encoded('[{"op":"add","path":"/data/x","value":"y"}]'),
  })),
};

const warnings: { readonly [name: string]: Hook } = {
  "warn-two": responding(() => ({ allowed: true, warnings: ["one", "two"] })),
  "warn-same": responding(() => ({ allowed: true, warnings: ["one", "one", ""] })),
  "warn-odd": responding(() => ({
    allowed: true,
    warnings: ['a "quote" and \\', "line\nbreak", "tab\tand \u0001", "ümlaut ✓"],
  })),
  "warn-long": responding(() => ({ allowed: true, warnings: ["x".repeat(300), "y".repeat(200)] })),
  "warn-much": responding(() => ({
    allowed: true,
    warnings: Array.from({ length: 30 }, (_, i) => `${i} ${"z".repeat(200)}`),
  })),
  "warn-null": responding(() => ({ allowed: true, warnings: null, auditAnnotations: { key: "value" } })),
};

const patches: { readonly [name: string]: Hook } = {
  "patch-add": patching({ op: "add", path: "/data/x", value: "y" }),
  "patch-nothing": patching(),
  "patch-same": patching({ op: "replace", path: "/data/a", value: "1" }),
  "patch-labels": patching({ op: "add", path: "/metadata/labels/more", value: "yes" }),
  "patch-test": patching({ op: "test", path: "/data/a", value: "2" }),
  "patch-copy": patching(
    { op: "copy", from: "/data/a", path: "/data/b" },
    { op: "move", from: "/data/a", path: "/data/c" },
  ),
  "patch-no-parent": patching({ op: "add", path: "/nope/deep/er", value: 1 }),
  "patch-missing": patching({ op: "remove", path: "/data/nope" }),
  "patch-replace-missing": patching({ op: "replace", path: "/data/nope", value: "x" }),
  "patch-operation": patching({ op: "jump", path: "/data/a" }),
  "patch-no-path": patching({ op: "add", value: "a" }),
  "patch-no-value": patching({ op: "add", path: "/data/x" }),
  "patch-relative": patching({ op: "add", path: "data/x", value: "y" }),
  "patch-type": patching({ op: "add", path: "/data/x", value: 5 }),
  "patch-whole-type": patching({ op: "replace", path: "/data", value: "text" }),
  "patch-unknown": patching({ op: "add", path: "/nope", value: { a: 1 } }),
  "patch-root": patching({ op: "replace", path: "", value: { data: { x: "y" } } }),
  "patch-root-list": patching({ op: "replace", path: "", value: [] }),
  "patch-kind": patching({ op: "replace", path: "/kind", value: "Secret" }),
  "patch-version": patching({ op: "replace", path: "/apiVersion", value: "v9" }),
  "patch-no-kind": patching({ op: "remove", path: "/kind" }),
  "patch-name": patching({ op: "replace", path: "/metadata/name", value: "other" }),
  "patch-namespace": patching({ op: "replace", path: "/metadata/namespace", value: "other" }),
  "patch-uid": patching({ op: "add", path: "/metadata/uid", value: "u" }),
  "patch-bad-label": patching({ op: "add", path: "/metadata/labels/bad", value: "a b" }),
  "patch-bad-key": patching({ op: "add", path: "/data/a b", value: "c" }),
  "patch-finalizer": patching({ op: "add", path: "/metadata/finalizers", value: ["example.com/hold"] }),
  "patch-generation": patching({ op: "add", path: "/metadata/generation", value: 7 }),
  "patch-resource-version": patching({ op: "add", path: "/metadata/resourceVersion", value: "5" }),
  "patch-managed": patching({ op: "add", path: "/metadata/managedFields", value: [] }),
  "patch-binary": patching({ op: "add", path: "/binaryData", value: { b: "not base64!" } }),
  "patch-null": patching({ op: "add", path: "/data/x", value: null }),
  "patch-text": patchingWith("not json"),
  "patch-object": patchingWith('{"op":"add"}'),
  "patch-scalar": patchingWith("5"),
  "patch-of-scalars": patchingWith("[1]"),
  "patch-cut-short": patchingWith('[{"op":"add"'),
  "patch-base64": responding(() => ({ allowed: true, patchType: "JSONPatch", patch: "***" })),
  "patch-list": responding(() => ({ allowed: true, patchType: "JSONPatch", patch: [] })),
  "patch-untyped": patchingWith("[]", { patchType: undefined }),
  "patch-merge-type": patchingWith("{}", { patchType: "MergePatch" }),
  "patch-empty-type": patchingWith("[]", { patchType: "" }),
  "patch-only-type": responding(() => ({ allowed: true, patchType: "JSONPatch" })),
};

const misanswers: { readonly [name: string]: Hook } = {
  "status-500": plain(500, "boom"),
  "status-404": plain(404, "gone\n"),
  "status-401": plain(401, "who?"),
  "status-403": plain(403, "no"),
  "status-409": plain(409, ""),
  "status-429": plain(429, "slow"),
  "status-502": plain(502, "<html>bad gateway</html>", "text/html"),
  "status-204": plain(204, ""),
  "status-301": plain(301, ""),
  "status-object": plain(
    422,
    '{"kind":"Status","apiVersion":"v1","status":"Failure","message":"told","reason":"Invalid","code":422}',
  ),
  empty: plain(200, ""),
  text: plain(200, "hello"),
  list: plain(200, "[]"),
  number: plain(200, "5"),
  null: plain(200, "null"),
  "cut-short": plain(200, '{"kind":"AdmissionReview"'),
  "empty-object": plain(200, "{}"),
  "no-kind": plain(200, '{"apiVersion":"admission.k8s.io/v1"}'),
  "no-response": plain(200, '{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview"}'),
  "other-kind": plain(200, '{"apiVersion":"v1","kind":"ConfigMap","data":{}}'),
  "status-kind": plain(200, '{"apiVersion":"v1","kind":"Status","status":"Failure","message":"no"}'),
  "status-of-a-group": plain(200, '{"apiVersion":"apps/v1","kind":"Status"}'),
  "options-kind": plain(200, '{"apiVersion":"admission.k8s.io/v1","kind":"DeleteOptions"}'),
  "watch-event": plain(200, '{"apiVersion":"admission.k8s.io/v1beta1","kind":"WatchEvent"}'),
  "internal-kind": plain(200, '{"apiVersion":"admission.k8s.io/__internal","kind":"AdmissionReview"}'),
  "number-version": plain(200, '{"apiVersion":1,"kind":"AdmissionReview"}'),
  "object-kind": plain(200, '{"apiVersion":"admission.k8s.io/v1","kind":{}}'),
  "long-version": plain(200, '{"apiVersion":"a/b/c","kind":"AdmissionReview"}'),
  "unknown-kind": plain(200, '{"apiVersion":"example.org/v1","kind":"Nope"}'),
  "other-review": ({ request: { uid } }) => ({
    type: "answer",
    status: 200,
    body: JSON.stringify({
      apiVersion: "admission.k8s.io/v1beta1",
      kind: "AdmissionReview",
      response: { uid, allowed: true },
    }),
  }),
  "other-uid": responding(() => ({ uid: "another", allowed: true })),
  "no-uid": responding(() => ({ uid: undefined, allowed: true })),
  "text-allowed": responding(() => ({ allowed: "yes" })),
  "text-status": responding(() => ({ allowed: false, status: "no" })),
  "text-code": responding(() => ({ allowed: false, status: { code: "no" } })),
  "text-warnings": responding(() => ({ allowed: true, warnings: "one" })),
  "unknown-field": responding(() => ({ allowed: true, nope: 1 })),
  yaml: ({ request: { uid } }) => ({
    type: "answer",
    status: 200,
    contentType: "application/yaml",
    body: `apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nresponse: {uid: "${uid}", allowed: true}\n`,
  }),
  "hang-up": () => ({ type: "hang-up" }),
  silence: () => ({ type: "silence" }),
};

const others: { readonly [name: string]: Hook } = {
  allow: responding(() => ({ allowed: true })),
  /** Denies with the review as message, so that the review itself is compared. */
  echo: responding(({ request }) => ({
    allowed: false,
    status: { message: JSON.stringify(request), code: 400 },
  })),
  /** Counts its calls in the data of the object. */
  count: responding(({ request }) => ({
    allowed: true,
    patchType: "JSONPatch",
    patch: encoded(
      JSON.stringify([{ op: "add", path: "/data/count", value: `${request.object?.data?.["count"] ?? ""}1` }]),
    ),
  })),
  /** Adds a field only once. */
  once: responding(({ request }) =>
    request.object?.data?.["once"] === undefined
      ? { allowed: true, patchType: "JSONPatch", patch: encoded('[{"op":"add","path":"/data/once","value":"1"}]') }
      : { allowed: true },
  ),
};

/** Webhook names by behaviour. */
export const admissionHooks = {
  refusals: Object.keys(refusals),
  warnings: Object.keys(warnings),
  patches: Object.keys(patches),
  misanswers: Object.keys(misanswers),
  detours: Object.keys(detours),
} as const;

const hooks: { readonly [name: string]: Hook } = {
  ...refusals,
  ...warnings,
  ...patches,
  ...misanswers,
  ...detours,
  ...others,
};

/** The response of the named webhook. */
export function answerAdmission(name: string, review: Review): Reply {
  return hooks[name]?.(review) ?? { type: "answer", status: 404, body: `no webhook ${name}` };
}
