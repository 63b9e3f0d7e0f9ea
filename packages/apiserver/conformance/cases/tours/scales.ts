/** Patch and apply of `scale`: kind, names, field managers, and errors. */
import { defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import { define, widget, widgets, type Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const template = { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i" }] } };
const sets = "/apis/apps/v1/namespaces/{ns}/replicasets";
const set = { metadata: { name: "r" }, spec: { replicas: 1, selector: { matchLabels: { a: "b" } }, template } };
const controllers = "/api/v1/namespaces/{ns}/replicationcontrollers";
const controller = { metadata: { name: "r" }, spec: { replicas: 1, selector: { a: "b" }, template } };
const scale = (replicas: unknown, more: Part = {}): Part => ({
  apiVersion: "autoscaling/v1",
  kind: "Scale",
  metadata: { name: "r" },
  spec: { replicas },
  ...more,
});

/** Patches that change kind, version or metadata. */
const otherKinds = (subresource: string): Step[] => [
  patch("merge", subresource, { kind: "Deployment" }),
  patch("merge", subresource, { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 2 } }),
  patch("merge", subresource, { apiVersion: "autoscaling/v2", spec: { replicas: 2 } }),
  patch("json", subresource, [{ op: "remove", path: "/kind" }]),
  patch("json", subresource, [{ op: "remove", path: "/apiVersion" }]),
  patch("json", subresource, [{ op: "replace", path: "/metadata/name", value: "x" }]),
  patch("json", subresource, [{ op: "replace", path: "/metadata/uid", value: "x" }]),
  patch("json", subresource, [{ op: "replace", path: "/metadata/namespace", value: "x" }]),
  patch("json", subresource, [{ op: "replace", path: "/metadata/resourceVersion", value: "1" }]),
  patch("merge", subresource, { metadata: null }),
];

/** Patches that change values. */
const values = (subresource: string): Step[] => [
  patch("merge", subresource, { spec: { replicas: -1 } }),
  patch("merge", subresource, { spec: { replicas: "x" } }),
  patch("merge", subresource, { spec: { replicas: 1.5 } }),
  patch("merge", subresource, { spec: { nope: 1 } }),
  patch("merge", `${subresource}?fieldValidation=Strict`, { spec: { nope: 1 } }),
  patch("merge", `${subresource}?fieldValidation=Ignore`, "[[]]"),
  patch("merge", subresource, { status: null }),
  patch("merge", `${subresource}?fieldManager=other`, { spec: { replicas: 4 } }),
  patch("merge", subresource, { spec: null }),
];
const strategic = (subresource: string): Step[] => [
  patch("strategic", subresource, { apiVersion: "apps/v1", kind: "Deployment", spec: { replicas: 2 } }),
  patch("strategic", subresource, { kind: "Nope", spec: { replicas: 3 } }),
  patch("strategic", subresource, { spec: { replicas: null } }),
];

const applies = (subresource: string, name = "r"): Step[] => {
  const metadata = { name };
  const forced = `${subresource}?fieldManager=m&force=true`;
  return [
    patch("apply", `${subresource}?fieldManager=m`, scale(2, { metadata })),
    patch("apply", forced, scale(2, { apiVersion: "apps/v1", kind: "Deployment", metadata })),
    patch("apply", forced, scale(2, { apiVersion: "v1", metadata })),
    patch("apply", forced, scale(2, { kind: "Nope", metadata })),
    patch("apply", forced, { metadata, spec: { replicas: 2 } }),
    patch("apply", forced, scale("x", { metadata })),
    patch("apply", forced, scale(2, { metadata, spec: { replicas: 2, nope: 1 } })),
    patch("apply", forced, scale(2, { metadata: { name: "other" } })),
    patch("apply", forced, scale(2, { metadata: { name, managedFields: [] } })),
    patch("apply", forced, scale(3, { metadata: { name, labels: { a: "b" } } })),
    patch("apply", forced, scale(null, { metadata })),
    patch("apply", forced, scale(2, { metadata, spec: {} })),
    patch("apply", forced, "{}"),
  ];
};

const cases: { [name: string]: readonly Step[] } = {};
for (const [name, path, object] of [
  ["a set", sets, set],
  ["a controller", controllers, controller],
] as const) {
  const subresource = `${path}/r/scale`;
  const made = post(path, object, quiet);
  cases[`${name}: another kind`] = [made, ...otherKinds(subresource), get(`${path}/r`)];
  cases[`${name}: other values`] = [made, ...values(subresource), ...strategic(subresource), get(`${path}/r`)];
  cases[`${name}: applied`] = [made, ...applies(subresource), get(`${path}/r`)];
}

const scaled = {
  subresources: { status: {}, scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n" } },
};
const number = { type: "integer" };
const schema = {
  type: "object",
  properties: {
    spec: { type: "object", properties: { n: number, t: { type: "string" } } },
    status: { type: "object", properties: { n: number } },
  },
};
for (const [name, spec] of [
  ["a custom object", { n: 1 }],
  ["a custom object without replicas", { t: "x" }],
] as const) {
  const at = `${widgets}/w`;
  const made = [define(schema, scaled), post(widgets, widget(spec), quiet)];
  cases[`${name}: another kind`] = [...made, ...otherKinds(`${at}/scale`), get(at)];
  cases[`${name}: other values`] = [...made, ...values(`${at}/scale`), get(at)];
  cases[`${name}: applied`] = [
    ...made,
    ...applies(`${at}/scale`, "w"),
    put(`${at}/scale`, scale(7, { metadata: { name: "w", uid: "x" } })),
    put(`${at}/scale`, scale(7, { metadata: { name: "w" } })),
    ...applies(`${at}/scale`, "w").slice(0, 2),
    get(at),
  ];
}

export const scaleTours = defineTopic("tour-scales", cases);
