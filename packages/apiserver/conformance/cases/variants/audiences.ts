/** Token requests: default audiences and issuer, odd specifications, and reviews of what was issued. */
import { defineTopic, del, get, post, put, type Step } from "../../case.ts";

const quiet = { quiet: true };
const space = "/api/v1/namespaces/{ns}";
const account = post(`${space}/serviceaccounts`, { metadata: { name: "a" } }, quiet);
const token = `${space}/serviceaccounts/a/token`;
const reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
const ask = (body: unknown): Step => ({
  ...post(token, body),
  only: ["kind", "apiVersion", "metadata", "spec", "message", "details", "code"],
});
const kept = (spec: object): Step => post(token, { spec }, { quiet: true, keep: { token: "status.token" } });
const review = (spec: unknown): Step => post(reviews, { spec }, { only: ["status", "message", "code", "details"] });

const specs: readonly unknown[] = [
  undefined,
  null,
  {},
  [],
  "a",
  { audiences: null },
  { audiences: [] },
  { audiences: [""] },
  { audiences: [null] },
  { audiences: ["a", "a"] },
  { audiences: "a" },
  { audiences: ["https://kubernetes.default.svc"] },
  { audiences: ["https://kubernetes.default.svc.cluster.local", "x"] },
  { expirationSeconds: null },
  { expirationSeconds: 0 },
  { expirationSeconds: 599 },
  { expirationSeconds: 600 },
  { expirationSeconds: -1 },
  { expirationSeconds: 4294967296 },
  { expirationSeconds: 4294967297 },
  { expirationSeconds: 1e300 },
  { expirationSeconds: "600" },
  { expirationSeconds: 600.5 },
  { boundObjectRef: null },
  { boundObjectRef: {} },
  { boundObjectRef: { kind: "Pod" } },
  { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } },
  { boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "none" } },
  { boundObjectRef: { kind: "Secret", apiVersion: "apps/v1", name: "none" } },
  { boundObjectRef: { kind: "Node", apiVersion: "v1", name: "none" } },
  { boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "none" } },
  { boundObjectRef: { kind: "Secret", apiVersion: "a/b/c", name: "none" } },
  { nope: 1 },
];
const audienceLists: readonly unknown[] = [
  undefined,
  null,
  [],
  [""],
  ["https://kubernetes.default.svc.cluster.local"],
  ["https://kubernetes.default.svc.cluster.local", "x", "y"],
  ["https://kubernetes.default.svc"],
  ["x"],
  ["y", "x"],
  "x",
];

export const audiences = defineTopic("variants-audiences", {
  "specifications of a request": [account, ...specs.map((spec) => ask({ spec }))],
  "identities of a request": [
    account,
    ...[
      { kind: "TokenRequest", apiVersion: "authentication.k8s.io/v1" },
      { kind: "TokenRequest", apiVersion: "v1" },
      { kind: "Nope", apiVersion: "authentication.k8s.io/v1" },
      { apiVersion: "authentication.k8s.io/v1beta1" },
      { metadata: { name: "b" } },
      { metadata: { name: "a", namespace: "b" } },
      { metadata: { name: "a", uid: "u" } },
      { metadata: null },
      { status: { token: "x", expirationTimestamp: null } },
      { nope: 1 },
    ].map((body) => ask(body)),
    ask("null"),
    ask("[]"),
    ask(""),
    get(token),
    put(token, {}),
    del(token),
    post(`${space}/serviceaccounts/none/token`, {}),
    post(`${space}/serviceaccounts/none/token`, { spec: { boundObjectRef: { kind: "Pod", name: "x" } } }),
    post(`${token}?dryRun=All`, {}, { only: ["kind", "spec", "message", "code"] }),
    post(`${token}?fieldValidation=Strict`, { nope: 1 }),
    post(`${token}/x`, {}),
  ],
  "reviews of a token for the server": [
    account,
    kept({}),
    ...audienceLists.map((list) => review({ token: "{token}", audiences: list })),
  ],
  "reviews of a token for others": [
    account,
    kept({ audiences: ["x", "y"] }),
    ...audienceLists.map((list) => review({ token: "{token}", audiences: list })),
  ],
  "reviews of a token for the server and others": [
    account,
    kept({ audiences: ["y", "https://kubernetes.default.svc.cluster.local"] }),
    ...audienceLists.map((list) => review({ token: "{token}", audiences: list })),
  ],
  "odd reviews": [
    ...[
      undefined,
      null,
      {},
      [],
      "a",
      { token: null },
      { token: 1 },
      { token: "x", nope: 1 },
      { token: "x", audiences: [1] },
    ].map(review),
    ...["null", "[]", ""].map((body) => post(reviews, body)),
    post(reviews, {
      kind: "TokenReview",
      apiVersion: "authentication.k8s.io/v1",
      metadata: { name: "a" },
      spec: { token: "x" },
    }),
    post(reviews, { status: { authenticated: true }, spec: { token: "x" } }),
    post(`${reviews}?dryRun=All`, { spec: { token: "x" } }),
    get(reviews),
    get(`${reviews}/a`),
    post(reviews, { spec: { token: "x" } }, { as: "alice" }),
  ],
  "the issuer": [
    get("/.well-known/openid-configuration", {
      only: ["issuer", "response_types_supported", "subject_types_supported"],
    }),
    get("/.well-known/openid-configuration", { as: "nobody", only: ["issuer", "message"] }),
    get("/openid/v1/jwks", { as: "nobody", only: ["message"] }),
  ],
});
