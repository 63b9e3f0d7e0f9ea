import assert from "node:assert/strict";
import { test } from "node:test";
import { startApiServer, type ApiServer } from "../src/index.ts";
import { OutgoingError, type OutgoingCall, type OutgoingCaller } from "../src/outgoing/outgoing.ts";
import { ask } from "./ask.ts";

const group = "/apis/admissionregistration.k8s.io/v1";
const maps = "/api/v1/namespaces/default/configmaps";
const rules = [{ operations: ["*"], apiGroups: [""], apiVersions: ["v1"], resources: ["configmaps"] }];
const hook = (more: object = {}): object => ({
  name: "a.example.com",
  clientConfig: { url: "https://hooks.example.com/a" },
  rules,
  sideEffects: "None",
  admissionReviewVersions: ["v1"],
  failurePolicy: "Fail",
  matchPolicy: "Equivalent",
  timeoutSeconds: 10,
  ...more,
});

interface Review {
  readonly request: { readonly uid: string; readonly object: { readonly data?: object }; readonly operation: string };
}

const reviewOf = (call: OutgoingCall): Review => JSON.parse(String(call.body)) as Review;

/** Responds to every review with the result of `respond`. */
function webhook(respond: (review: Review, call: OutgoingCall) => object): OutgoingCaller {
  return async (call) => {
    const review = reviewOf(call);
    const response = { uid: review.request.uid, ...respond(review, call) };
    const body = JSON.stringify({ kind: "AdmissionReview", apiVersion: "admission.k8s.io/v1", response });
    return { status: 200, headers: {}, body: Buffer.from(body) };
  };
}

async function install(server: ApiServer, kind: "mutating" | "validating", ...webhooks: object[]): Promise<void> {
  const configuration = { metadata: { name: "hooks" }, webhooks };
  const { status, text } = await ask(server, "POST", `${group}/${kind}webhookconfigurations`, configuration);
  assert.equal(status, 201, text);
}

const jsonPatch = (...operations: object[]): object => ({
  allowed: true,
  patchType: "JSONPatch",
  patch: Buffer.from(JSON.stringify(operations)).toString("base64"),
});
const map = { metadata: { name: "m" }, data: { a: "1" } };
const message = (body: unknown): unknown => (body as { message?: unknown }).message;

test("a denial has the message of the webhook", async () => {
  const outgoing = webhook(() => ({ allowed: false, status: { code: 403, reason: "Forbidden", message: "no" } }));
  await using server = await startApiServer({ outgoing });
  await install(server, "validating", hook());
  const { status, body } = await ask(server, "POST", maps, map);
  assert.equal(status, 403);
  assert.deepEqual(body, {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'admission webhook "a.example.com" denied the request: no',
    reason: "Forbidden",
    code: 403,
  });
});

test("a denial without a message is a 400 without explanation", async () => {
  await using server = await startApiServer({ outgoing: webhook(() => ({ allowed: false })) });
  await install(server, "validating", hook());
  const { status, body } = await ask(server, "POST", maps, map);
  assert.equal(status, 400);
  assert.equal(message(body), 'admission webhook "a.example.com" denied the request without explanation');
});

test("webhooks run in order, and reinvocationPolicy IfNeeded runs one again", async () => {
  const asked: string[] = [];
  const outgoing = webhook(({ request }, { url }) => {
    const name = new URL(url).pathname;
    asked.push(`${name} ${Object.keys(request.object.data ?? {}).join("")}`);
    return name === "/first" && asked.length > 1
      ? { allowed: true }
      : jsonPatch({ op: "add", path: `/data${name}`, value: "x" });
  });
  await using server = await startApiServer({ outgoing });
  await install(
    server,
    "mutating",
    hook({
      name: "first.example.com",
      clientConfig: { url: "https://hooks.example.com/first" },
      reinvocationPolicy: "IfNeeded",
    }),
    hook({ name: "second.example.com", clientConfig: { url: "https://hooks.example.com/second" } }),
  );
  const { body } = await ask(server, "POST", maps, map);
  assert.deepEqual((body as { data: object }).data, { a: "1", first: "x", second: "x" });
  assert.deepEqual(asked, ["/first a", "/second afirst", "/first afirstsecond"]);
});

test("the failure policy decides about an unreachable webhook", async () => {
  const outgoing: OutgoingCaller = async () => {
    throw new OutgoingError("Refused", "dial tcp 127.0.0.1:1: connect: connection refused");
  };
  await using server = await startApiServer({ outgoing });
  await install(server, "validating", hook());
  const { status, body } = await ask(server, "POST", maps, map);
  assert.equal(status, 500);
  assert.equal(
    message(body),
    'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://hooks.example.com/a?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused',
  );
  const path = `${group}/validatingwebhookconfigurations/hooks`;
  await ask(server, "DELETE", path);
  await install(server, "validating", hook({ failurePolicy: "Ignore" }));
  assert.equal((await ask(server, "POST", maps, map)).status, 201);
});

test("a missing service of a webhook is named in the error", async () => {
  await using server = await startApiServer();
  await install(
    server,
    "validating",
    hook({ clientConfig: { service: { namespace: "default", name: "hooks", path: "/x" } } }),
  );
  const { body } = await ask(server, "POST", maps, map);
  assert.equal(
    message(body),
    'Internal error occurred: failed calling webhook "a.example.com": failed to call webhook: Post "https://hooks.default.svc:443/x?timeout=10s": service "hooks" not found',
  );
});

test("a webhook with sideEffects NoneOnDryRun allows a dry run", async () => {
  await using server = await startApiServer({ outgoing: webhook(() => ({ allowed: true })) });
  await install(server, "validating", hook({ sideEffects: "NoneOnDryRun" }));
  assert.equal((await ask(server, "POST", `${maps}?dryRun=All`, map)).status, 201);
});

test("warnings are passed on, invalid responses are rejected", async () => {
  await using warned = await startApiServer({ outgoing: webhook(() => ({ allowed: true, warnings: ["careful"] })) });
  await install(warned, "validating", hook());
  assert.equal((await ask(warned, "POST", maps, map)).headers.get("warning"), '299 - "careful"');
  await using wrong = await startApiServer({ outgoing: webhook(() => ({ allowed: true, uid: "x" })) });
  await install(wrong, "validating", hook());
  const { body } = await ask(wrong, "POST", maps, map);
  assert.match(
    String(message(body)),
    /received invalid webhook response: expected response\.uid="[0-9a-f-]{36}", got "x"$/,
  );
});

test("webhooks are called only if rules, selectors and conditions match", async () => {
  const operations: string[] = [];
  const outgoing = webhook(({ request }) => {
    operations.push(request.operation);
    return { allowed: true };
  });
  await using server = await startApiServer({ outgoing });
  await install(
    server,
    "validating",
    hook({
      objectSelector: { matchLabels: { strict: "yes" } },
      matchConditions: [{ name: "not-small", expression: "request.operation == 'DELETE' || size(object.data) > 1" }],
    }),
  );
  const labelled = { metadata: { name: "m", labels: { strict: "yes" } }, data: { a: "1", b: "2" } };
  await ask(server, "POST", maps, { ...map, metadata: { name: "other" } });
  await ask(server, "POST", maps, { ...labelled, metadata: { ...labelled.metadata, name: "small" }, data: { a: "1" } });
  await ask(server, "POST", maps, labelled);
  await ask(server, "DELETE", `${maps}/m`);
  assert.deepEqual(operations, ["CREATE", "DELETE"]);
});

test("webhook configurations are exempt from webhooks", async () => {
  const outgoing = webhook(() => ({ allowed: false }));
  await using server = await startApiServer({ outgoing });
  const all = [{ operations: ["*"], apiGroups: ["*"], apiVersions: ["*"], resources: ["*/*"] }];
  await install(server, "validating", hook({ rules: all }));
  assert.equal((await ask(server, "DELETE", `${group}/validatingwebhookconfigurations/hooks`)).status, 200);
});

test("token requests and reviews pass admission", async () => {
  const outgoing = webhook(() => ({ allowed: false, status: { message: "no" } }));
  await using server = await startApiServer({ outgoing });
  const onActions = [
    { operations: ["CREATE"], apiGroups: [""], apiVersions: ["v1"], resources: ["serviceaccounts/token"] },
    { operations: ["CREATE"], apiGroups: ["*"], apiVersions: ["*"], resources: ["selfsubjectreviews"] },
  ];
  const account = { metadata: { name: "robot" } };
  assert.equal((await ask(server, "POST", "/api/v1/namespaces/default/serviceaccounts", account)).status, 201);
  await install(server, "validating", hook({ rules: onActions }));
  const denied = 'admission webhook "a.example.com" denied the request: no';
  const token = "/api/v1/namespaces/default/serviceaccounts/robot/token";
  assert.equal(message((await ask(server, "POST", token, { spec: {} })).body), denied);
  const review = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
  assert.equal(message((await ask(server, "POST", review, {})).body), denied);
});

test("a webhook sees a patch as an update", async () => {
  const options: unknown[] = [];
  const outgoing = webhook((review) => {
    options.push((review.request as unknown as { options: unknown }).options);
    return { allowed: true };
  });
  await using server = await startApiServer({ outgoing });
  await ask(server, "POST", maps, map);
  await install(server, "validating", hook());
  const body = JSON.stringify({ data: { b: "2" } });
  const headers = { "content-type": "application/merge-patch+json" };
  await server.fetch(new Request(`http://in-process${maps}/m`, { method: "PATCH", body, headers }));
  assert.deepEqual(options, [{ kind: "UpdateOptions", apiVersion: "meta.k8s.io/v1" }]);
});

test("malformed webhook responses have the error messages of Go", async () => {
  const texts: readonly (readonly [string, string])[] = [
    ["", "failed to call webhook: 0-length response with status code: 200 and content type: application/json"],
    [
      "hello",
      "failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string into Go value of type " +
        'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }',
    ],
    ['{"kind":"AdmissionReview"}', "received invalid webhook response: webhook response was absent"],
  ];
  for (const [text, told] of texts) {
    const outgoing: OutgoingCaller = async () => ({ status: 200, headers: {}, body: Buffer.from(text) });
    await using server = await startApiServer({ outgoing });
    await install(server, "validating", hook());
    const { body } = await ask(server, "POST", maps, map);
    assert.equal(message(body), `Internal error occurred: failed calling webhook "a.example.com": ${told}`);
  }
});
