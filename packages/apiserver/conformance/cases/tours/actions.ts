/** Actions and connections: their webhook reviews, disruption budgets and bindings. */
import { defineTopic, del, get, patch, post, type Step } from "../../case.ts";
import { here, quietly, registration, settling } from "../explored/admission-scene.ts";
import type { Part } from "../explored/widget.ts";

const bob = { headers: { "impersonate-user": "bob", "impersonate-group": "system:masters" } };
const pods = "/api/v1/namespaces/{ns}/pods";
const accounts = "/api/v1/namespaces/{ns}/serviceaccounts";
const bindings = "/api/v1/namespaces/{ns}/bindings";
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const pod = (name = "p"): Part => ({
  metadata: { name, labels: { a: "b" } },
  spec: { containers: [{ name: "c", image: "i" }] },
});
const evict = (name: string, more: Part = {}, query = ""): Step =>
  post(`${pods}/${name}/eviction${query}`, { metadata: { name }, ...more });

/** Runs the steps while a webhook that echoes its review matches some resources. */
function watched(phase: string, resources: readonly string[], steps: readonly Step[]): Step[] {
  const webhook = {
    name: "echo.example.com",
    clientConfig: { url: "{hook}/admit/echo", caBundle: "{hookCa}" },
    rules: [{ apiGroups: ["*"], apiVersions: ["*"], operations: ["*"], resources }],
    sideEffects: "None",
    admissionReviewVersions: ["v1"],
    ...here,
  };
  const path = `${registration}/${phase}webhookconfigurations`;
  return [
    post(path, { metadata: { name: "w-{ns}" }, webhooks: [webhook] }, settling),
    ...steps.map((step) => ({ ...step, ...bob })),
    del(`${path}/w-{ns}`, undefined, quietly),
  ];
}

const token = `${accounts}/s/token`;
const asked: { readonly [name: string]: (phase: string) => Step[] } = {
  tokens: (phase) => [
    post(accounts, { metadata: { name: "s" } }, quietly),
    ...watched(
      phase,
      ["serviceaccounts/token"],
      [
        post(token, { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: { audiences: ["a"] } }),
        post(`${token}?dryRun=All`, { spec: { audiences: ["a"], expirationSeconds: 600 } }),
        post(token, { metadata: { uid: "other" }, spec: { audiences: ["a"] } }),
        post(token, { metadata: { name: "other" }, spec: { audiences: ["a"] } }),
        post(token, { spec: { audiences: ["a"], expirationSeconds: 5 } }),
        post(`${accounts}/nope/token`, { spec: {} }),
      ],
    ),
  ],
  connections: (phase) => [
    post(pods, pod(), quietly),
    ...watched(
      phase,
      ["pods/exec", "pods/attach", "pods/portforward", "pods/proxy", "pods/log"],
      [
        get(`${pods}/p/exec?command=a&command=b&stdin=true&stdout=1&tty=yes&stderr=false&container=c&nope=x`),
        post(`${pods}/p/exec?command=a`, ""),
        get(`${pods}/p/attach?stdout=true`),
        get(`${pods}/p/portforward?ports=80`),
        get(`${pods}/p/proxy/x/y?z=1`),
        get(`${pods}/nope/exec?command=a`),
      ],
    ),
  ],
  bindings: (phase) => [
    post(pods, pod(), quietly),
    ...watched(
      phase,
      ["pods/binding", "bindings"],
      [
        post(`${pods}/p/binding`, { metadata: { name: "p" }, target: { name: "n" } }),
        post(bindings, { metadata: { name: "p" }, target: { kind: "Node", name: "n" } }),
        post(`${pods}/nope/binding`, { metadata: { name: "nope" }, target: { name: "n" } }),
        post(`${pods}/p/binding`, { metadata: { name: "p" }, target: {} }),
      ],
    ),
  ],
  evictions: (phase) => [
    post(pods, pod(), quietly),
    ...watched(
      phase,
      ["pods/eviction"],
      [
        evict("p", { deleteOptions: { gracePeriodSeconds: 1 } }),
        evict("p", { apiVersion: "policy/v1beta1", kind: "Eviction" }),
        evict("nope"),
        evict("p", { deleteOptions: { dryRun: ["All"] } }, "?dryRun=All"),
      ],
    ),
  ],
};

const cases: { [name: string]: readonly Step[] } = {};
for (const [name, steps] of Object.entries(asked)) {
  for (const phase of ["validating", "mutating"]) cases[`${phase}: ${name}`] = steps(phase);
}

const running = { status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] } };
const counts = { observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 2 };
cases["a budget"] = [
  ...["p", "q"].flatMap((name) => [
    post(pods, pod(name), quietly),
    patch("merge", `${pods}/${name}/status`, running, quietly),
  ]),
  post(budgets, { metadata: { name: "b" }, spec: { minAvailable: 1, selector: { matchLabels: { a: "b" } } } }, quietly),
  evict("p"),
  patch("merge", `${budgets}/b/status`, { status: { ...counts, disruptionsAllowed: 0 } }, quietly),
  evict("p"),
  evict("p", { deleteOptions: { preconditions: { uid: "nope" } } }),
  evict("p", { deleteOptions: { propagationPolicy: "Odd" } }),
  patch("merge", `${budgets}/b/status`, { status: { disruptionsAllowed: 2 } }, quietly),
  evict("p", {}, "?dryRun=All"),
  evict("p", { deleteOptions: { dryRun: ["All"] } }),
  evict("p", { deleteOptions: { dryRun: ["Odd"] } }),
  evict("p", { deleteOptions: { ignoreStoreReadErrorWithClusterBreakingPotential: true } }),
  get(`${budgets}/b`),
  evict("p"),
  evict("q"),
  get(`${budgets}/b`),
  get(`${pods}/p`),
];
cases["bindings"] = [
  post(pods, pod(), quietly),
  post(bindings, { target: { name: "n" } }),
  post(bindings, { metadata: { generateName: "x" }, target: { name: "n" } }),
  post(`${pods}/p/binding`, { target: { name: "n" } }),
  post(`${pods}/p/binding`, { metadata: { name: "q" }, target: { name: "n" } }),
  post(bindings, { metadata: { name: "p" }, target: { kind: "Pod", name: "n" } }),
  post(bindings, { metadata: { name: "p", namespace: "other" }, target: { name: "n" } }),
  post(bindings, { metadata: { name: "p", labels: { x: "y" } }, target: { name: "n" } }),
  post(bindings, { metadata: { name: "p" }, target: { name: "n" } }),
];

export const actionTours = defineTopic("tour-actions", cases);
