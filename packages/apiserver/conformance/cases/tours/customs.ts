/** Custom kinds: ownership of lists and maps, subresources, columns, fields, defaults, and changes of the CRD. */
import { defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import { define, definition, definitions, specOf, widget, widgets, type Part } from "../explored/widget.ts";

const quiet = { quiet: true };
const at = `${widgets}/w`;
const text = { type: "string" };
const number = { type: "integer" };
const pair = { type: "object", required: ["name"], properties: { name: text, value: text, port: number } };
const lists = {
  atomic: { type: "array", items: text },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  map: { type: "array", items: pair, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
  keys: {
    type: "array",
    items: { ...pair, properties: { ...pair.properties, port: { ...number, default: 80 } } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name", "port"],
  },
  granular: { type: "object", additionalProperties: text },
  whole: { type: "object", properties: { a: text, b: text }, "x-kubernetes-map-type": "atomic" },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
};
const apply = (manager: string, spec: Part | undefined, more = ""): Step =>
  patch("apply", `${at}?fieldManager=${manager}${more}`, widget(spec));
const applyTo = (field: string, one: unknown, two: unknown): Step[] => [
  define(specOf(lists)),
  apply("one", { [field]: one }),
  apply("two", { [field]: two }),
  apply("two", { [field]: two }, "&force=true"),
  apply("one", {}),
  patch("merge", `${at}?fieldManager=three`, { spec: { [field]: null } }),
  apply("two", { [field]: two }),
];

const owned: { readonly [name: string]: readonly Step[] } = {
  "an atomic list": applyTo("atomic", ["a", "b"], ["a", "c"]),
  "a set": applyTo("set", ["a", "b"], ["b", "c"]),
  "a set with repetitions": applyTo("set", ["a", "a"], ["b", "b"]),
  "a list of pairs": applyTo(
    "map",
    [{ name: "a", value: "1" }, { name: "b" }],
    [{ name: "a", value: "2" }, { name: "c" }],
  ),
  "a list of pairs without keys": applyTo("map", [{ value: "1" }], [{ name: "a" }, { name: "a" }]),
  "a list with two keys": applyTo(
    "keys",
    [{ name: "a" }, { name: "a", port: 81 }],
    [{ name: "a", port: 80, value: "x" }],
  ),
  "a map": applyTo("granular", { a: "1", b: "2" }, { b: "3", c: "4" }),
  "a whole": applyTo("whole", { a: "1" }, { b: "2" }),
  anything: applyTo("free", { a: { b: [1, 2] }, c: 1 }, { a: { b: [2] }, d: null }),
  "what is unknown": applyTo("nope", 1, 2),
  "what has another type": applyTo("granular", 5, { a: 5 }),
};

const scaled = {
  subresources: {
    status: {},
    scale: { specReplicasPath: ".spec.n", statusReplicasPath: ".status.n", labelSelectorPath: ".status.s" },
  },
  additionalPrinterColumns: [
    { name: "N", type: "integer", jsonPath: ".spec.n" },
    { name: "Wide", type: "string", jsonPath: ".spec.t", priority: 1, description: "d", format: "password" },
    { name: "When", type: "date", jsonPath: ".spec.when" },
    { name: "All", type: "string", jsonPath: ".spec.list[*]" },
    { name: "Last", type: "number", jsonPath: ".spec.list[-1:]" },
    { name: "Cond", type: "string", jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
    { name: "Bad", type: "boolean", jsonPath: ".spec.t" },
    { name: "Object", type: "string", jsonPath: ".spec.o" },
    { name: "Annotation", type: "string", jsonPath: ".metadata.annotations.a\\.b/c" },
  ],
  selectableFields: [{ jsonPath: ".spec.n" }, { jsonPath: ".spec.t" }],
};
const schema = {
  type: "object",
  properties: {
    spec: {
      type: "object",
      properties: {
        n: { ...number, minimum: 0, default: 1 },
        t: { ...text, maxLength: 5 },
        when: { type: "string", format: "date-time" },
        list: { type: "array", items: number },
        o: { type: "object", additionalProperties: text },
      },
    },
    status: {
      type: "object",
      properties: {
        n: number,
        s: text,
        conditions: { type: "array", items: { type: "object", properties: { type: text, status: text } } },
      },
    },
  },
};
const made = [define(schema, scaled), post(widgets, widget({ n: 2, t: "x" }), quiet)];
const table = "application/json;as=Table;v=v1;g=meta.k8s.io";

const views: { readonly [name: string]: readonly Step[] } = {
  status: [
    ...made,
    get(`${at}/status`),
    put(`${at}/status`, widget({ n: 9 }, { status: { n: 1 } })),
    put(`${at}/status`, widget({ n: 9 }, { status: { n: "x" } })),
    put(`${at}/status`, widget({ n: 9 }, { status: { nope: 1 } })),
    put(`${at}/status?fieldValidation=Strict`, widget({ n: 9 }, { status: { nope: 1 } })),
    put(`${at}/status`, widget({}, { status: null })),
    patch("merge", `${at}/status`, { spec: { n: 7 }, metadata: { labels: { a: "b" } } }),
    patch("apply", `${at}/status?fieldManager=f`, widget({ n: 5 }, { status: { s: "x" } })),
    patch("merge", at, { status: { n: 99 } }),
    put(at, widget({ n: 3 }, { status: { n: 98 } })),
    post(widgets, widget({}, { metadata: { name: "z" }, status: { n: 1 } })),
    get(at),
  ],
  rows: [
    ...made,
    post(
      widgets,
      widget(
        { n: 3, t: "y", when: "2020-01-01T00:00:00Z", list: [1, 2], o: { a: "b" } },
        { metadata: { name: "full", annotations: { "a.b/c": "ann" } } },
      ),
      quiet,
    ),
    patch(
      "merge",
      `${widgets}/full/status`,
      {
        status: {
          conditions: [
            { type: "Other", status: "No" },
            { type: "Ready", status: "True" },
          ],
        },
      },
      quiet,
    ),
    get(`${widgets}?includeObject=None`, { accept: table }),
    get(`${widgets}/full?includeObject=Object`, { accept: table, only: ["columnDefinitions", "rows"] }),
  ],
  fields: [
    ...made,
    post(widgets, widget({ n: 2, t: "z" }, { metadata: { name: "v" } }), quiet),
    ...[
      "spec.n%3D2",
      "spec.n!%3D2",
      "spec.t%3Dx",
      "spec.t%3D",
      "spec.o%3Dx",
      "spec.n%3Dabc",
      "metadata.name%3Dv,spec.t%3Dz",
      "status.n%3D1",
      "spec.n",
    ].map((selector) => get(`${widgets}?fieldSelector=${selector}`, { only: ["items", "message", "reason", "code"] })),
  ],
};

const served = (name: string, more: Part = {}): Part => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: schema },
  ...more,
});
const redefine = (change: Part): Step =>
  patch("merge", `${definitions}/widgets.{ns}.dev`, change, {
    only: ["metadata", "spec", "message", "reason", "details", "code"],
  });
const settled = { quiet: true, settle: 1500 };
const changes: { readonly [name: string]: readonly Step[] } = {
  definitions: [
    ...made,
    redefine({ spec: { group: "other.dev" } }),
    redefine({ spec: { scope: "Cluster" } }),
    redefine({ spec: { names: { kind: "Gadget" } } }),
    redefine({ spec: { names: { plural: "gadgets" } } }),
    redefine({ spec: { names: { shortNames: ["w", "wi"], categories: ["all"] } } }),
    redefine({ spec: { versions: [] } }),
    redefine({ spec: { versions: [served("v1")] } }),
    redefine({ spec: { versions: [served("v1", { storage: true }), served("v2", { storage: true })] } }),
    redefine({ spec: { versions: [served("v2", { storage: true })] } }),
    redefine({ spec: { preserveUnknownFields: true } }),
    redefine({ spec: { conversion: { strategy: "Webhook" } } }),
    redefine({ spec: { conversion: { strategy: "Nope" } } }),
    redefine({ metadata: { name: "other" } }),
    redefine({ metadata: { annotations: { "api-approved.kubernetes.io": "x" } } }),
    patch(
      "merge",
      `${definitions}/widgets.{ns}.dev/status`,
      { status: { storedVersions: [] } },
      { only: ["message", "reason", "details"] },
    ),
    patch(
      "merge",
      `${definitions}/widgets.{ns}.dev/status`,
      { status: { storedVersions: ["v1", "v0"] } },
      { only: ["message", "reason", "details"] },
    ),
  ],
  "tighter rules": [
    ...made,
    patch(
      "json",
      `${definitions}/widgets.{ns}.dev`,
      [
        {
          op: "add",
          path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/t/pattern",
          value: "^a",
        },
        { op: "add", path: "/spec/versions/0/schema/openAPIV3Schema/properties/spec/required", value: ["o"] },
      ],
      settled,
    ),
    get(at),
    patch("merge", at, { metadata: { labels: { a: "b" } } }),
    patch("merge", at, { spec: { n: 4 } }),
    patch("merge", at, { spec: { t: "b" } }),
    patch("merge", at, { spec: { t: "ab", o: {} } }),
    post(`${widgets}?dryRun=All`, widget({ t: "b" }, { metadata: { name: "new" } })),
  ],
  "a version more": [
    ...made,
    redefine({
      spec: { versions: [{ ...served("v1", { storage: true }), ...scaled }, served("v2", { deprecated: true })] },
    }),
    post(
      `${widgets.replace("/v1/", "/v2/")}?dryRun=All`,
      { ...widget({}), apiVersion: "{ns}.dev/v2", metadata: { name: "two" } },
      settled,
    ),
    get(`${widgets.replace("/v1/", "/v2/")}/w`),
    post(`${widgets.replace("/v1/", "/v2/")}?dryRun=All`, widget({}, { metadata: { name: "two" } })),
    get(`${widgets.replace("/v1/", "/v3/")}/w`),
    patch("apply", `${widgets.replace("/v1/", "/v2/")}/w?fieldManager=f&force=true`, {
      ...widget({ t: "q" }),
      apiVersion: "{ns}.dev/v2",
    }),
    get(at),
  ],
};

/** Values of each type, for fields of each type. */
const types: { readonly [name: string]: Part } = {
  text,
  number,
  float: { type: "number" },
  truth: { type: "boolean" },
  list: { type: "array", items: text },
  object: { type: "object", properties: { a: text } },
  either: { "x-kubernetes-int-or-string": true },
  nullable: { type: "string", nullable: true },
  default: { type: "string", default: "d" },
  "nullable default": { type: "string", nullable: true, default: "d" },
  date: { type: "string", format: "date" },
  time: { type: "string", format: "date-time" },
  duration: { type: "string", format: "duration" },
  bytes: { type: "string", format: "byte" },
  address: { type: "string", format: "ipv4" },
  range: { type: "string", format: "cidr" },
  mail: { type: "string", format: "email" },
  uuid: { type: "string", format: "uuid" },
  uri: { type: "string", format: "uri" },
  int32: { type: "integer", format: "int32" },
  int64: { type: "integer", format: "int64" },
  choice: { type: "string", enum: ["a", "b"] },
  numbers: { type: "integer", enum: [1, 2] },
  bounds: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 3, multipleOf: 0.5 },
  lengths: { type: "string", minLength: 2, maxLength: 3, pattern: "^[a-z]+$" },
  items: { type: "array", minItems: 1, maxItems: 2, items: { type: "integer", maximum: 3 } },
  properties: {
    type: "object",
    minProperties: 1,
    maxProperties: 2,
    additionalProperties: { type: "string", maxLength: 2 },
  },
  embedded: { type: "object", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true },
  "one of": { type: "object", properties: { a: text, b: text }, oneOf: [{ required: ["a"] }, { required: ["b"] }] },
  not: { type: "object", properties: { a: text }, not: { required: ["a"] } },
};
const values: readonly unknown[] = [
  "",
  "a",
  "abcd",
  "1",
  "2020-01-01",
  "2020-01-01T00:00:00Z",
  "5m",
  "YQ==",
  "1.2.3.4",
  "10.0.0.0/8",
  "a@b.c",
  "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
  "http://a/b",
  0,
  1,
  -1,
  1.5,
  2,
  4,
  4294967296,
  1e20,
  true,
  false,
  null,
  [],
  ["a"],
  [1, 2],
  [1, 2, 3, 4],
  [null],
  {},
  { a: "x" },
  { b: "y" },
  { a: "x", b: "y" },
  { a: 1 },
  { a: "xyz", c: "d", e: "f" },
  { apiVersion: "v1", kind: "Pod" },
  { apiVersion: "v1", kind: "Pod", metadata: { name: "A b", labels: 5 }, spec: 1 },
];
const said = { only: ["spec", "message", "reason", "details", "code"] };
const typed = Object.fromEntries(
  Object.entries(types).map(([name, x]) => [
    `values: ${name}`,
    [
      post(`${definitions}?dryRun=All`, definition(specOf({ x })), { only: ["message", "reason", "details", "code"] }),
      define(specOf({ x })),
      ...values.map((value) => post(`${widgets}?dryRun=All`, widget({ x: value }), said)),
      post(`${widgets}?dryRun=All`, widget({}), said),
    ],
  ]),
);

const prefixed = (
  what: string,
  cases: { readonly [name: string]: readonly Step[] },
): { [name: string]: readonly Step[] } =>
  Object.fromEntries(Object.entries(cases).map(([name, steps]) => [`${what}: ${name}`, steps]));

export const customTours = defineTopic("tour-customs", {
  ...prefixed("owns", owned),
  ...prefixed("views", views),
  ...prefixed("changes", changes),
  ...typed,
});
