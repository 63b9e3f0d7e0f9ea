/**
 * Lifecycle of custom objects: transition rules, ratcheting, subresources, columns, selectable fields, versions, applied lists,
 * strictness.
 */
import { defineTopic, del, get, patch, post, put } from "../../case.ts";
import { define, definition, definitions, specOf, widget, widgets, type Part } from "./widget.ts";

const w = `${widgets}/w`;
const table = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";
const rule = (text: string, more: Part = {}): Part => ({ rule: text, ...more });
const strictV = (properties: Part): Part[] => [
  {
    name: "v1",
    served: true,
    storage: true,
    schema: { openAPIV3Schema: specOf(properties) },
    subresources: { status: {} },
  },
];
const two = (): { versions: readonly [Part, ...Part[]] } => ({
  versions: [
    {
      name: "v1",
      served: true,
      storage: true,
      schema: { openAPIV3Schema: specOf({ a: { type: "string", default: "one" } }) },
    },
    {
      name: "v2",
      served: true,
      storage: false,
      schema: { openAPIV3Schema: specOf({ a: { type: "string" }, b: { type: "string", default: "two" } }) },
      additionalPrinterColumns: [{ name: "B", type: "string", jsonPath: ".spec.b" }],
    },
    {
      name: "v1beta1",
      served: true,
      storage: false,
      deprecated: true,
      schema: { openAPIV3Schema: specOf({ a: { type: "string" } }) },
    },
    { name: "v0", served: false, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
  ],
});
const o2 = widgets.replace("/v1/", "/v2/");

export const customLives = defineTopic("custom-lives", {
  transition: [
    define(
      specOf({
        x: { type: "integer", "x-kubernetes-validations": [rule("self >= oldSelf", { message: "no shrink" })] },
      }),
    ),
    post(widgets, widget({ x: 3 })),
    patch("merge", w, { spec: { x: 5 } }),
    patch("merge", w, { spec: { x: 1 } }),
    patch("merge", w, { spec: { x: null } }),
    patch("apply", `${w}?fieldManager=a&force=true`, widget({ x: 2 })),
  ],
  "immutable root": [
    define({
      ...specOf({ x: { type: "integer" } }),
      "x-kubernetes-validations": [
        rule("self.spec == oldSelf.spec"),
        rule("self.metadata.name.startsWith('w')"),
        rule("has(self.metadata.generateName) || true"),
      ],
    }),
    post(widgets, widget({ x: 3 })),
    patch("merge", w, { spec: { x: 5 } }),
    patch("merge", w, { metadata: { labels: { a: "b" } } }),
    post(widgets, { ...widget({ x: 3 }), metadata: { name: "z" } }),
  ],
  "optional old self": [
    define(
      specOf({
        x: {
          type: "integer",
          "x-kubernetes-validations": [
            rule("!oldSelf.hasValue() || self >= oldSelf.value()", { optionalOldSelf: true }),
          ],
        },
      }),
    ),
    post(widgets, widget({})),
    patch("merge", w, { spec: { x: 5 } }),
    patch("merge", w, { spec: { x: 1 } }),
  ],
  ratcheting: [
    define(specOf({ x: { type: "integer" }, y: { type: "string" }, l: { type: "array", items: { type: "string" } } })),
    post(widgets, widget({ x: 1, y: "bad", l: ["bad", "ok"] })),
    patch(
      "merge",
      `${definitions}/widgets.{ns}.dev`,
      {
        spec: {
          versions: strictV({
            x: { type: "integer", minimum: 3 },
            y: { type: "string", "x-kubernetes-validations": [rule("self == 'ok'")] },
            l: { type: "array", items: { type: "string", enum: ["ok"] } },
          }),
        },
      },
      { quiet: true, settle: 1500 },
    ),
    patch("merge", w, { metadata: { labels: { a: "b" } } }),
    patch("merge", w, { spec: { x: 2 } }),
    patch("merge", w, { spec: { y: "bad2" } }),
    patch("merge", w, { spec: { l: ["bad", "ok", "ok"] } }),
    patch("merge", w, { spec: { x: 4 } }),
    post(widgets, { ...widget({ x: 1 }), metadata: { name: "z" } }),
  ],
  status: [
    define(
      {
        type: "object",
        properties: {
          spec: { type: "object", properties: { x: { type: "integer", default: 1 } } },
          status: { type: "object", properties: { y: { type: "integer", default: 2 }, phase: { type: "string" } } },
        },
      },
      { subresources: { status: {} } },
    ),
    post(widgets, widget({ x: 3 }, { status: { y: 9 } })),
    get(`${w}/status`),
    put(`${w}/status`, { ...widget({ x: 8 }), status: { phase: "A" } }),
    patch("merge", `${w}/status`, {
      status: { phase: "B" },
      metadata: { labels: { a: "b" }, finalizers: ["a/b"] },
      spec: { x: 1 },
    }),
    patch("apply", `${w}/status?fieldManager=s`, { ...widget(undefined), status: { phase: "C" } }),
    patch("apply", `${w}/status?fieldManager=s&force=true`, { ...widget(undefined), status: { phase: "C" } }),
    put(w, widget({ x: 4 }, { status: { y: 100 } })),
    get(w),
    patch("merge", `${w}/status`, { status: { phase: 1 } }),
    put(`${w}/status`, widget({}, { status: "x" })),
    get(`${w}/status`, { accept: table }),
  ],
  scale: [
    define(
      {
        type: "object",
        properties: {
          spec: { type: "object", properties: { replicas: { type: "integer" }, sel: { type: "string" } } },
          status: { type: "object", properties: { replicas: { type: "integer" }, sel: { type: "string" } } },
        },
      },
      {
        subresources: {
          status: {},
          scale: {
            specReplicasPath: ".spec.replicas",
            statusReplicasPath: ".status.replicas",
            labelSelectorPath: ".status.sel",
          },
        },
      },
    ),
    post(widgets, widget({})),
    get(`${w}/scale`),
    put(`${w}/scale`, {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "w", namespace: "{ns}" },
      spec: { replicas: 3 },
    }),
    patch("merge", `${w}/scale`, { spec: { replicas: 5 } }),
    patch("merge", `${w}/scale`, { spec: { replicas: -1 } }),
    patch("merge", `${w}/status`, { status: { replicas: 2, sel: "a=b" } }),
    get(`${w}/scale`),
    get(w),
    patch("apply", `${w}/scale?fieldManager=x`, {
      apiVersion: "autoscaling/v1",
      kind: "Scale",
      metadata: { name: "w" },
      spec: { replicas: 7 },
    }),
    put(`${w}/scale`, { metadata: { name: "w", namespace: "{ns}", resourceVersion: "1" }, spec: { replicas: 3 } }),
    get(`${w}/scale`, { accept: table }),
    get(w, { accept: table }),
  ],
  columns: [
    define(
      specOf({
        a: { type: "integer" },
        b: { type: "string" },
        c: { type: "boolean" },
        d: { type: "string", format: "date-time" },
        l: { type: "array", items: { type: "object", properties: { n: { type: "string" } } } },
        n: { type: "number" },
      }),
      {
        additionalPrinterColumns: [
          { name: "A", type: "integer", jsonPath: ".spec.a", priority: 1, description: "the a" },
          { name: "B", type: "string", jsonPath: ".spec.b" },
          { name: "C", type: "boolean", jsonPath: ".spec.c" },
          { name: "D", type: "date", jsonPath: ".spec.d" },
          { name: "L", type: "string", jsonPath: ".spec.l[*].n" },
          { name: "L0", type: "string", jsonPath: ".spec.l[0].n" },
          { name: "N", type: "number", jsonPath: ".spec.n", format: "double" },
          { name: "F", type: "string", jsonPath: '.spec.l[?(@.n=="y")].n' },
          { name: "Obj", type: "string", jsonPath: ".spec.l" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
      },
    ),
    post(widgets, widget({ a: 1, b: "x", c: true, d: "2020-01-01T00:00:00Z", l: [{ n: "x" }, { n: "y" }], n: 1.5 })),
    post(widgets, { ...widget({}), metadata: { name: "z" } }),
    get(w, { accept: table }),
    get(widgets, { accept: table }),
  ],
  selectable: [
    define(specOf({ a: { type: "string" }, n: { type: "integer" }, b: { type: "boolean" } }), {
      selectableFields: [{ jsonPath: ".spec.a" }, { jsonPath: ".spec.n" }, { jsonPath: ".spec.b" }],
    }),
    post(widgets, widget({ a: "x", n: 3, b: true }), { quiet: true }),
    post(widgets, { ...widget({}), metadata: { name: "z" } }, { quiet: true }),
    get(`${widgets}?fieldSelector=spec.a%3Dx`),
    get(`${widgets}?fieldSelector=spec.n%3D3,spec.b%3Dtrue`),
    get(`${widgets}?fieldSelector=spec.a!%3Dx`),
    get(`${widgets}?fieldSelector=spec.nope%3Dx`),
    get(`${widgets}?fieldSelector=metadata.name%3Dw`),
    get(`${widgets}?fieldSelector=status.x%3Dw`),
  ],
  versions: [
    post(definitions, definition({}, {}, two()), { quiet: true, settle: 1500 }),
    get("/apis/{ns}.dev"),
    get("/apis/{ns}.dev/v2"),
    get("/apis/{ns}.dev/v0"),
    post(widgets, widget({})),
    get(`${o2}/w`),
    get(`${o2}/w`, { accept: table }),
    get(widgets.replace("/v1/", "/v1beta1/")),
    put(`${o2}/w`, { apiVersion: "{ns}.dev/v2", kind: "Widget", metadata: { name: "w" }, spec: { b: "z", a: "q" } }),
    get(w),
    patch("apply", `${o2}/w?fieldManager=m`, {
      apiVersion: "{ns}.dev/v2",
      kind: "Widget",
      metadata: { name: "w" },
      spec: { b: "y" },
    }),
    get(w),
    put(w, { ...widget({ a: "r" }), apiVersion: "{ns}.dev/v2" }),
    get(`${widgets}?watch=1&resourceVersion=0`, { events: 1 }),
    get(`${o2}?watch=1&resourceVersion=0`, { events: 1 }),
  ],
  "cluster scoped": [
    post(definitions, definition(specOf({ a: { type: "string" } }), {}, { scope: "Cluster" }), {
      quiet: true,
      settle: 1300,
    }),
    post("/apis/{ns}.dev/v1/widgets", widget({ a: "x" })),
    get("/apis/{ns}.dev/v1/widgets/w"),
    post(widgets, widget({})),
    post("/apis/{ns}.dev/v1/widgets", { ...widget({}), metadata: { name: "q", namespace: "{ns}" } }),
    get("/apis/{ns}.dev/v1/widgets", { accept: table }),
    get("/apis/{ns}.dev/v1"),
    del("/apis/{ns}.dev/v1/widgets/w"),
  ],
  "protected group": [
    post(`${definitions}?dryRun=All`, {
      ...definition({ type: "object" }, {}, { group: "x.k8s.io" }),
      metadata: { name: "widgets.x.k8s.io" },
    }),
    post(`${definitions}?dryRun=All`, {
      ...definition({ type: "object" }, {}, { group: "x.k8s.io" }),
      metadata: { name: "widgets.x.k8s.io", annotations: { "api-approved.kubernetes.io": "https://github.com/x" } },
    }),
    post(`${definitions}?dryRun=All`, {
      ...definition({ type: "object" }, {}, { group: "x.k8s.io" }),
      metadata: { name: "widgets.x.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, x" } },
    }),
  ],
  "apply lists": [
    define(
      specOf({
        m: {
          type: "array",
          "x-kubernetes-list-type": "map",
          "x-kubernetes-list-map-keys": ["k"],
          items: { type: "object", required: ["k"], properties: { k: { type: "string" }, v: { type: "integer" } } },
        },
        s: { type: "array", "x-kubernetes-list-type": "set", items: { type: "string" } },
        a: { type: "array", items: { type: "string" } },
        o: {
          type: "object",
          "x-kubernetes-map-type": "atomic",
          properties: { p: { type: "string" }, q: { type: "string" } },
        },
        g: { type: "object", additionalProperties: { type: "string" } },
      }),
    ),
    patch(
      "apply",
      `${w}?fieldManager=one`,
      widget({ m: [{ k: "a", v: 1 }], s: ["x"], a: ["1"], o: { p: "1" }, g: { a: "1" } }),
    ),
    patch("apply", `${w}?fieldManager=two`, widget({ m: [{ k: "b", v: 2 }], s: ["y"], g: { b: "2" } })),
    patch("apply", `${w}?fieldManager=two`, widget({ a: ["2"], o: { q: "2" }, m: [{ k: "a", v: 5 }] })),
    patch("apply", `${w}?fieldManager=two&force=true`, widget({ a: ["2"], o: { q: "2" } })),
    patch("apply", `${w}?fieldManager=one`, widget({ m: [{ k: "a", v: 1 }, { k: "c" }], s: ["x", "z"] })),
    patch("apply", `${w}?fieldManager=one`, widget({ m: [{ v: 1 }] })),
    patch("apply", `${w}?fieldManager=one`, widget({ m: [{ k: "a" }, { k: "a" }] })),
    patch("apply", `${w}?fieldManager=one`, widget({ s: ["x", "x"] })),
    patch("apply", `${w}?fieldManager=one`, widget({ nope: 1 })),
    get(w),
    patch("json", w, [{ op: "remove", path: "/spec/s/0" }]),
    patch("merge", w, { spec: null }),
  ],
  strict: [
    define(specOf({ a: { type: "string" } })),
    post(`${widgets}?fieldValidation=Strict`, widget({ a: "x", b: 1, c: { d: 1 } }, { zz: 1 })),
    post(
      `${widgets}?fieldValidation=Strict`,
      `{"apiVersion":"{ns}.dev/v1","kind":"Widget","metadata":{"name":"w","foo":1},"spec":{"a":"x","a":"y"}}`,
    ),
    post(
      `${widgets}?fieldValidation=Warn`,
      `{"apiVersion":"{ns}.dev/v1","kind":"Widget","metadata":{"name":"w","foo":1},"spec":{"a":"x","a":"y","b":1}}`,
    ),
    patch("merge", `${w}?fieldValidation=Strict`, { spec: { b: 1 } }),
    patch("json", `${w}?fieldValidation=Strict`, [{ op: "add", path: "/spec/b", value: 1 }]),
    patch("apply", `${w}?fieldManager=x&fieldValidation=Strict`, widget({ b: 1 })),
    post(widgets, "a: b: c", { type: "application/yaml" }),
    post(widgets, "apiVersion: {ns}.dev/v1\nkind: Widget\nmetadata:\n  name: y\nspec:\n  a: q\n  a: r\n  n: 1\n", {
      type: "application/yaml",
    }),
    post(widgets, { ...widget({}), metadata: { name: "k", labels: "x" } }),
    post(widgets, { ...widget({}), metadata: { name: "k", creationTimestamp: "x" } }),
    post(widgets, { ...widget({}), metadata: { name: "k", finalizers: ["x"] } }),
    post(widgets, { ...widget({}), metadata: { name: 5 } }),
    post(widgets, { ...widget({}), metadata: { name: "k", ownerReferences: [{ nope: 1 }] } }),
  ],
});
