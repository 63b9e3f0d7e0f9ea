/** Subresources of pods: eviction with budgets, resize, ephemeral containers, binding. */
import { defineTopic, del, get, patch, post, put, type Step } from "../../case.ts";
import type { Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const pods = "/api/v1/namespaces/{ns}/pods";
const at = `${pods}/p`;
const budgets = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets";
const said = { only: ["kind", "status", "message", "reason", "details", "code"] };
const pod = (spec: Part = {}, metadata: Part = {}): Part => ({
  metadata: { name: "p", labels: { app: "a" }, ...metadata },
  spec: {
    containers: [{ name: "c", image: "i", resources: { requests: { cpu: "1" }, limits: { cpu: "2" } } }],
    ...spec,
  },
});
const make = (spec: Part = {}): Step => post(pods, pod(spec), quiet);
const status = (value: Part): Step => patch("merge", `${at}/status`, { status: value }, quiet);
const running = status({ phase: "Running", conditions: [{ type: "Ready", status: "True" }] });
const unready = status({ phase: "Running", conditions: [{ type: "Ready", status: "False" }] });
const budget = (spec: Part, name = "b"): Step =>
  post(budgets, { metadata: { name }, spec: { selector: { matchLabels: { app: "a" } }, ...spec } }, quiet);
const counted = (value: Part): Step =>
  patch(
    "merge",
    `${budgets}/b/status`,
    {
      status: {
        observedGeneration: 1,
        currentHealthy: 3,
        desiredHealthy: 3,
        expectedPods: 3,
        disruptionsAllowed: 0,
        ...value,
      },
    },
    quiet,
  );
const evict = (more: Part = {}, query = ""): Step =>
  post(`${at}/eviction${query}`, { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: "p" }, ...more });
const trial = (more: Part = {}): Step => evict(more, "?dryRun=All");
const shown = get(`${budgets}/b`, { only: ["status"] });

const evictions: { readonly [name: string]: readonly Step[] } = {
  "by options": [
    make(),
    trial(),
    trial({ deleteOptions: { gracePeriodSeconds: 5 } }),
    trial({ deleteOptions: { gracePeriodSeconds: -5 } }),
    trial({ deleteOptions: { propagationPolicy: "Nope" } }),
    trial({ deleteOptions: { dryRun: ["Nope"] } }),
    trial({ deleteOptions: { orphanDependents: true, propagationPolicy: "Orphan" } }),
    trial({ deleteOptions: { apiVersion: "v1", kind: "Pod" } }),
    evict({ deleteOptions: { dryRun: ["All"] } }),
    evict({}, "?dryRun=Nope"),
    evict({}, "?fieldManager=x&pretty=true&dryRun=All"),
    get(at, { only: ["metadata"] }),
  ],
  "by bodies": [
    make(),
    evict({ kind: "Pod" }),
    evict({ apiVersion: "policy/v1beta1" }),
    evict({ apiVersion: "v1" }),
    evict({ metadata: { name: "q" } }),
    evict({ metadata: { namespace: "other", name: "p" } }),
    evict({ metadata: {} }, "?dryRun=All"),
    post(`${at}/eviction?dryRun=All`, {}),
    post(`${at}/eviction?dryRun=All`, "{"),
    evict({ nope: 1 }, "?fieldValidation=Strict&dryRun=All"),
    evict({ nope: 1 }, "?dryRun=All"),
    put(`${at}/eviction`, {}, said),
    get(`${at}/eviction`, said),
    del(`${at}/eviction`, undefined, said),
  ],
  "of the ready, by a budget that nobody counted": [make(), running, budget({ minAvailable: 1 }), evict(), shown],
  "of the ready, allowed none": [make(), running, budget({ minAvailable: 3 }), counted({}), evict(), trial(), shown],
  "of the ready, allowed one": [
    make(),
    running,
    budget({ minAvailable: 2 }),
    counted({ disruptionsAllowed: 1 }),
    trial(),
    shown,
    evict(),
    shown,
  ],
  "of the ready, below what is desired": [
    make(),
    running,
    budget({ maxUnavailable: "30%" }),
    counted({ currentHealthy: 1, desiredHealthy: 2 }),
    evict(),
    counted({ expectedPods: 0, currentHealthy: 0, desiredHealthy: 0 }),
    evict(),
  ],
  "of the ready, by an old count": [
    make(),
    running,
    budget({ minAvailable: 1 }),
    counted({ observedGeneration: 0, disruptionsAllowed: 5 }),
    evict(),
  ],
  "of the ready, negative": [
    make(),
    running,
    budget({ minAvailable: 1 }),
    counted({ disruptionsAllowed: -1 }),
    evict(),
  ],
  "of the unready, if healthy": [
    make(),
    unready,
    budget({ minAvailable: 1, unhealthyPodEvictionPolicy: "IfHealthyBudget" }),
    counted({ currentHealthy: 0, desiredHealthy: 1 }),
    evict(),
    counted({ currentHealthy: 1, desiredHealthy: 1 }),
    evict(),
  ],
  "of the unready, always": [
    make(),
    unready,
    budget({ minAvailable: 1, unhealthyPodEvictionPolicy: "AlwaysAllow" }),
    counted({ currentHealthy: 0, desiredHealthy: 1 }),
    evict(),
  ],
  "of the unready, by default": [
    make(),
    unready,
    budget({ minAvailable: 1 }),
    counted({ currentHealthy: 0, desiredHealthy: 1 }),
    evict(),
  ],
  "of the pending": [make(), budget({ minAvailable: 1 }), counted({}), evict(), get(at, said)],
  "of the ended": [make(), status({ phase: "Succeeded" }), budget({ minAvailable: 1 }), evict()],
  "of the failed": [make(), status({ phase: "Failed" }), budget({ minAvailable: 1 }), evict()],
  "by two budgets": [make(), running, budget({ minAvailable: 1 }), budget({ minAvailable: 1 }, "c"), evict()],
  "by a budget of nobody": [
    make(),
    running,
    post(budgets, { metadata: { name: "b" }, spec: { minAvailable: 1 } }, quiet),
    evict(),
  ],
  "by a budget of all": [
    make(),
    running,
    post(budgets, { metadata: { name: "b" }, spec: { minAvailable: 1, selector: {} } }, quiet),
    evict(),
  ],
  twice: [make({ nodeName: "n" }), evict(), evict(), get(at, { only: ["status", "spec"] })],
  "of nobody": [evict(), post(`${pods}/nope/eviction`, { metadata: { name: "nope" } })],
};

const resize = (containers: readonly Part[], more: Part = {}): Step =>
  patch(
    "strategic",
    `${at}/resize?dryRun=All`,
    { spec: { containers, ...more } },
    { only: ["metadata", "spec", "message", "reason", "details", "code"] },
  );
const amounts = (requests: Part | null, limits: Part | null = {}): Step =>
  resize([{ name: "c", resources: { requests, limits } }]);
const sizes: readonly Step[] = [
  amounts({ cpu: "2" }, { cpu: "3" }),
  amounts({ cpu: "3" }),
  amounts({ cpu: "-1" }),
  amounts({ cpu: "x" }),
  amounts({ memory: "1Gi" }),
  amounts({ cpu: null }),
  amounts(null, null),
  amounts({ cpu: "2" }, { cpu: "2", memory: "1Gi" }),
  amounts({ "ephemeral-storage": "1Gi" }),
  amounts({ "example.com/gpu": "1" }, { "example.com/gpu": "1" }),
  resize([{ name: "d", resources: { requests: { cpu: "1" } } }]),
  resize([{ name: "c", image: "other" }]),
  resize([{ name: "c", resizePolicy: [{ resourceName: "cpu", restartPolicy: "RestartContainer" }] }]),
  resize([{ name: "c", env: [{ name: "A", value: "b" }] }]),
  resize([], { nodeName: "n" }),
  resize([], { resources: { requests: { cpu: "5" } } }),
  resize([], { initContainers: [{ name: "i", image: "x" }] }),
  patch("merge", `${at}/resize?dryRun=All`, { metadata: { labels: { a: "b" } } }, { only: ["metadata", "message"] }),
  patch("merge", `${at}/resize?dryRun=All`, { status: { phase: "Failed" } }, { only: ["status", "message"] }),
  patch("merge", `${at}/resize?dryRun=All`, { spec: { containers: [] } }, said),
  put(`${at}/resize?dryRun=All`, pod(), { only: ["spec", "message", "reason", "details"] }),
  put(`${at}/resize?dryRun=All`, pod({ hostname: "h" }), said),
  post(`${at}/resize`, {}, said),
  del(`${at}/resize`, undefined, said),
  patch(
    "merge",
    at,
    { spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "2" }, limits: { cpu: "2" } } }] } },
    said,
  ),
];
const resizes: { readonly [name: string]: readonly Step[] } = {
  "a burstable pod": [make(), ...sizes],
  "a running pod": [make({ nodeName: "n" }), running, ...sizes],
  "an ended pod": [make(), status({ phase: "Succeeded" }), ...sizes.slice(0, 3)],
  "a guaranteed pod": [
    make({
      containers: [
        {
          name: "c",
          image: "i",
          resources: { requests: { cpu: "1", memory: "1Gi" }, limits: { cpu: "1", memory: "1Gi" } },
        },
      ],
    }),
    amounts({ cpu: "2" }, { cpu: "2" }),
    amounts({ cpu: "1" }, { cpu: "2" }),
    amounts({ memory: "512Mi" }, { memory: "512Mi" }),
  ],
  "a pod of best effort": [
    make({ containers: [{ name: "c", image: "i" }] }),
    amounts({ cpu: "1" }),
    amounts({}, { cpu: "1" }),
  ],
  "a pod with sidecars": [
    make({
      initContainers: [
        { name: "s", image: "x", restartPolicy: "Always", resources: { requests: { cpu: "1" } } },
        { name: "i", image: "x" },
      ],
    }),
    resize([], { initContainers: [{ name: "s", resources: { requests: { cpu: "2" } } }] }),
    resize([], { initContainers: [{ name: "i", resources: { requests: { cpu: "2" } } }] }),
  ],
  "a pod of windows": [make({ os: { name: "windows" } }), amounts({ cpu: "2" })],
  "a pod as a whole": [
    make({ resources: { requests: { cpu: "2" }, limits: { cpu: "4" } } }),
    resize([], { resources: { requests: { cpu: "3" } } }),
    resize([], { resources: { requests: { cpu: "5" } } }),
    resize([], { resources: { requests: { memory: "1Gi" }, limits: { memory: "1Gi" } } }),
  ],
};

const look = (ephemeralContainers: readonly Part[], query = "?dryRun=All"): Step =>
  patch(
    "strategic",
    `${at}/ephemeralcontainers${query}`,
    { spec: { ephemeralContainers } },
    { only: ["metadata", "spec", "message", "reason", "details", "code"] },
  );
const looks: readonly Step[] = [
  look([{ name: "e", image: "x" }]),
  look([{ name: "e", image: "x", targetContainerName: "c" }]),
  look([{ name: "e", image: "x", targetContainerName: "z" }]),
  look([{ name: "c", image: "x" }]),
  look([{ name: "E", image: "" }]),
  look([{ name: "e", image: "x", ports: [{ containerPort: 80 }] }]),
  look([{ name: "e", image: "x", livenessProbe: { exec: { command: ["a"] } } }]),
  look([{ name: "e", image: "x", lifecycle: {} }]),
  look([{ name: "e", image: "x", resources: { requests: { cpu: "1" } } }]),
  look([{ name: "e", image: "x", restartPolicy: "Always" }]),
  look([{ name: "e", image: "x", volumeMounts: [{ name: "v", mountPath: "/v" }] }]),
  look([{ name: "e", image: "x", securityContext: { privileged: true } }]),
  look([{ name: "e", image: "x", stdin: true, tty: true, command: ["sh"] }]),
  look([{ name: "e", image: "x", nope: 1 }]),
  look([{ image: "x" }]),
  patch("merge", `${at}/ephemeralcontainers?dryRun=All`, { spec: { nodeName: "n" } }, { only: ["spec", "message"] }),
  patch(
    "merge",
    `${at}/ephemeralcontainers?dryRun=All`,
    { metadata: { labels: { a: "b" } } },
    { only: ["metadata", "message"] },
  ),
  put(`${at}/ephemeralcontainers?dryRun=All`, pod({ ephemeralContainers: [{ name: "e", image: "x" }] }), {
    only: ["spec", "message", "reason", "details"],
  }),
  put(`${at}/ephemeralcontainers?dryRun=All`, pod({ hostname: "h" }), {
    only: ["spec", "message", "reason", "details"],
  }),
  get(`${at}/ephemeralcontainers`),
  post(`${at}/ephemeralcontainers`, {}, said),
];

const bind = (target: Part, more: Part = {}, query = "?dryRun=All"): Step =>
  post(`${at}/binding${query}`, { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target, ...more });
const bindings: readonly Step[] = [
  bind({ kind: "Node", name: "n" }),
  bind({ name: "n" }),
  bind({ kind: "Pod", name: "n" }),
  bind({ kind: "Node", name: "" }),
  bind({ kind: "Node", name: "A b" }),
  bind({ kind: "Node", name: "n" }, { metadata: { name: "q" } }),
  bind({ kind: "Node", name: "n" }, { metadata: { name: "p", uid: "u" } }),
  bind({ kind: "Node", name: "n" }, { metadata: { name: "p", namespace: "other" } }),
  bind({ kind: "Node", name: "n" }, { kind: "Pod" }),
  bind({ kind: "Node", name: "n" }, { metadata: { name: "p", annotations: { a: "b" }, labels: { c: "d" } } }, ""),
  get(at, { only: ["metadata", "spec", "status"] }),
  bind({ kind: "Node", name: "m" }, {}, ""),
  post("/api/v1/namespaces/{ns}/bindings", { metadata: { name: "p" }, target: { name: "m" } }),
  get("/api/v1/namespaces/{ns}/bindings", said),
];

const prefixed = (
  what: string,
  cases: { readonly [name: string]: readonly Step[] },
): { [name: string]: readonly Step[] } =>
  Object.fromEntries(Object.entries(cases).map(([name, steps]) => [`${what} ${name}`, steps]));

export const podTours = defineTopic("tour-pods", {
  ...prefixed("eviction", evictions),
  ...prefixed("resizes", resizes),
  "looks into a pod": [make(), ...looks],
  "looks into a pod again": [
    make(),
    look([{ name: "e", image: "x" }], ""),
    look([{ name: "f", image: "x" }], ""),
    look([{ name: "e", image: "y" }]),
    patch("json", `${at}/ephemeralcontainers`, [{ op: "remove", path: "/spec/ephemeralContainers/0" }], said),
    get(at, { only: ["spec", "metadata"] }),
  ],
  "binds a pod": [make(), ...bindings],
  "binds a pod that waits": [make({ schedulingGates: [{ name: "example.com/g" }] }), bind({ kind: "Node", name: "n" })],
  "binds a pod that goes": [
    post(pods, pod({}, { finalizers: ["example.com/f"] }), quiet),
    del(at, undefined, quiet),
    bind({ kind: "Node", name: "n" }),
  ],
});
