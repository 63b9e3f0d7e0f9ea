/** Edge values and paths: spaces around quantities, the zero time, incomplete paths. */
import { defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import { define, specOf, widget, widgets, type Part } from "./widget.ts";

const cases: { [name: string]: Step[] } = {};
const trial = "?dryRun=All";
const claims = `/api/v1/namespaces/{ns}/persistentvolumeclaims${trial}`;
const claim = (storage: string): Part => ({
  metadata: { name: "c" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage } } },
});
cases["spaces around quantities"] = [" 1", "1Gi ", "  1.5Gi ", "1 Gi", " ", "\u00a01", "\t1"].map((storage) =>
  post(claims, claim(storage)),
);

const events = `/api/v1/namespaces/{ns}/events${trial}`;
const event = { metadata: { name: "e" }, involvedObject: { namespace: "{ns}" } };
cases["the first of all times"] = ["0001-01-01T00:00:00Z", "0001-01-01T01:00:00+01:00", "0001-01-01T00:00:01Z"].map(
  (time) => post(events, { ...event, firstTimestamp: time, lastTimestamp: time }),
);

const daemonSets = `/apis/apps/v1/namespaces/{ns}/daemonsets${trial}`;
const strategies: readonly Part[] = [
  { type: "OnDelete", rollingUpdate: { maxSurge: 1 } },
  { type: "OnDelete", rollingUpdate: {} },
  { type: "OnDelete", rollingUpdate: { maxUnavailable: "10%" } },
  { type: "OnDelete" },
];
cases["strategies that are not used"] = strategies.map((updateStrategy) =>
  post(daemonSets, {
    metadata: { name: "d" },
    spec: {
      updateStrategy,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } },
    },
  }),
);

cases["overhead that is empty"] = [
  post("/api/v1/namespaces/{ns}/serviceaccounts", { metadata: { name: "default" } }, { quiet: true }),
  ...[{}, { cpu: "1" }].map((overhead) =>
    post(`/api/v1/namespaces/{ns}/pods${trial}`, {
      metadata: { name: "p" },
      spec: { automountServiceAccountToken: false, containers: [{ name: "c", image: "i" }], overhead },
    }),
  ),
];

const methods = ["GET", "POST", "PUT", "DELETE"];
const everyMethod = (path: string): Step[] => methods.map((method) => ({ method, path }));
cases["paths without a namespace or a group"] = [
  "/api/v1/bindings",
  "/apis/authorization.k8s.io/v1/localsubjectaccessreviews",
  "/apis//apps",
  "/apis//apps/v1",
].flatMap(everyMethod);
cases["verbs in paths"] = [
  "/api/v1/proxy/nodes/x",
  "/api/v1/proxy/namespaces/{ns}/pods/x/status",
  "/apis/apps/v1/proxy/namespaces/{ns}/deployments/x",
].flatMap((path) => [get(path), get(path, { as: "alice" }), { method: "PUT", path, as: "alice" }]);

const views = { subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } } };
const replicas = { type: "object", properties: { n: { type: "integer" } } };
cases["methods that views of custom objects lack"] = [
  define({ type: "object", properties: { spec: replicas, status: replicas } }, views),
  post(widgets, widget({ n: 1 })),
  ...["status", "scale"].flatMap((view) =>
    everyMethod(`${widgets}/w/${view}`).filter(({ method }) => method !== "PUT"),
  ),
];
const scale = (spec: unknown, more: Part = {}): Part => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "w", namespace: "{ns}" },
  spec,
  ...more,
});
cases["scales that are none"] = [
  define({ type: "object", properties: { spec: replicas, status: replicas } }, views),
  post(widgets, widget({ n: 1 })),
  put(`${widgets}/w/scale`, "{"),
  put(`${widgets}/w/scale`, []),
  put(`${widgets}/w/scale`, scale({ replicas: "x" })),
  put(`${widgets}/w/scale?fieldValidation=Strict`, scale({ replicas: 2, unknown: 1 })),
  put(`${widgets}/w/scale?fieldValidation=Warn`, scale({ replicas: 2, unknown: 1 })),
  put(`${widgets}/w/scale`, scale({ replicas: 2 }, { apiVersion: "apps/v1" })),
  put(`${widgets}/w/scale`, scale({ replicas: 2 }, { kind: "Pod" })),
];
const inner = (metadata: Part): Part => widget({ inner: { apiVersion: "v1", kind: "X", metadata } });
const wrongs: readonly Part[] = [{ creationTimestamp: "never" }, { labels: { a: 1 } }, { name: 5 }];
cases["embedded objects with wrong metadata"] = [
  define(
    specOf({
      inner: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
    }),
  ),
  ...wrongs.flatMap((metadata) => [
    post(widgets, inner(metadata)),
    patch("apply", `${widgets}/w?fieldManager=m`, inner(metadata)),
  ]),
  post(widgets, inner({})),
  ...wrongs.flatMap((metadata) => [
    patch("merge", `${widgets}/w`, inner(metadata)),
    patch("apply", `${widgets}/w?fieldManager=m&force=true`, inner(metadata)),
  ]),
];

export const edges = defineTopic("edges", cases);
