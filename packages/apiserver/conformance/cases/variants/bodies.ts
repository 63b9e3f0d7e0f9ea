/** Odd bodies for custom objects: nulls, wrong types, wrong identities, under each kind of field validation and each method. */
import { defineTopic, get, patch, post, put, type Step } from "../../case.ts";
import { define, specOf, widget, widgets, type Part } from "../explored/widget.ts";

const text = { type: "string" };
const embedded = {
  type: "object",
  "x-kubernetes-embedded-resource": true,
  properties: { spec: { type: "object", properties: { a: text } } },
};
const fields: Part = {
  text,
  number: { type: "integer" },
  float: { type: "number" },
  flag: { type: "boolean" },
  object: { type: "object", properties: { a: text, b: { type: "string", default: "b" } } },
  required: { type: "object", required: ["a"], properties: { a: text } },
  defaults: { type: "object", default: {}, properties: { a: { type: "string", default: "a" } } },
  list: { type: "array", items: text },
  nullables: { type: "array", items: { type: "string", nullable: true } },
  objects: { type: "array", items: { type: "object", properties: { a: { type: "string", default: "a" } } } },
  map: { type: "object", additionalProperties: text },
  nullableMap: { type: "object", additionalProperties: { type: "string", nullable: true } },
  open: {
    type: "object",
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { a: text, o: { type: "object", properties: { b: text } } },
  },
  anything: { "x-kubernetes-preserve-unknown-fields": true },
  either: { "x-kubernetes-int-or-string": true },
  nullable: { type: "string", nullable: true },
  nullableDefault: { type: "string", nullable: true, default: "x" },
  nullableObject: { type: "object", nullable: true, properties: { a: { type: "string", default: "a" } } },
  default: { type: "string", default: "x" },
  embedded,
  openEmbedded: { ...embedded, "x-kubernetes-preserve-unknown-fields": true },
  pairs: {
    type: "array",
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["k"],
    items: { type: "object", required: ["k"], properties: { k: text, v: { type: "string", default: "v" } } },
  },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  enum: { type: "string", enum: ["a", "b"] },
  date: { type: "string", format: "date-time" },
  bytes: { type: "string", format: "byte" },
};
const made = define(specOf(fields));
const values: readonly unknown[] = [
  null,
  "a",
  "",
  1,
  1.5,
  -0,
  true,
  [],
  [null],
  ["a", null],
  [[]],
  [{}],
  [{ a: null }],
  [{ k: "a" }, { k: "a" }],
  {},
  { a: null },
  { a: "a", z: 1 },
  { a: { b: null } },
  { o: { b: "b", z: 1 }, z: { y: null } },
  { b: null, a: 1 },
  { metadata: null },
  { metadata: { name: "a", z: 1, labels: { a: null } }, apiVersion: "v1", kind: "A", spec: { a: "a", z: 1 } },
  { metadata: [], apiVersion: "v1", kind: "A" },
  { metadata: { creationTimestamp: null }, apiVersion: "a/b/c", kind: "A" },
  { metadata: { creationTimestamp: null }, apiVersion: "v1", kind: "" },
  { apiVersion: "v1", kind: "A", metadata: { labels: [] } },
  { apiVersion: 1, kind: "A", metadata: {} },
];
const modes = ["Strict", "Warn", "Ignore"] as const;
const trial = (spec: unknown, mode = "Strict"): Step =>
  post(`${widgets}?dryRun=All&fieldValidation=${mode}`, widget(spec));
/** Go reports several wrong values of a map in a random order. */
const isOrdered = (field: string, value: unknown): boolean =>
  !/^(map|nullableMap)$/.test(field) || Object.keys(value ?? {}).length < 2;
const narrowed = (step: Step): Step => ({ ...step, only: ["spec", "message", "details", "code"] });

/** Messages show the first 30 characters of a body: the metadata is first, because the name of the namespace varies in length. */
const metadata = { name: "w" };
const odd = (more: Part): Part => ({ metadata, apiVersion: "{ns}.dev/v1", kind: "Widget", spec: {}, ...more });
const identities: { readonly [name: string]: unknown } = {
  "no apiVersion": { metadata, kind: "Widget" },
  "no kind": { metadata, apiVersion: "{ns}.dev/v1" },
  neither: { metadata: { name: "w" } },
  "empty apiVersion": odd({ apiVersion: "" }),
  "empty kind": odd({ kind: "" }),
  "null apiVersion": odd({ apiVersion: null }),
  "null kind": odd({ kind: null }),
  "number as kind": odd({ kind: 1 }),
  "list as apiVersion": odd({ apiVersion: [] }),
  "another kind": odd({ kind: "Nope" }),
  "kind of a list": odd({ kind: "WidgetList", items: [] }),
  "another version": odd({ apiVersion: "{ns}.dev/v2" }),
  "another group": odd({ apiVersion: "other.dev/v1" }),
  "the core version": odd({ apiVersion: "v1" }),
  "three parts": odd({ apiVersion: "a/b/c" }),
  "a slash": odd({ apiVersion: "/" }),
  "group only": odd({ apiVersion: "{ns}.dev/" }),
  "other case": odd({ kind: "widget" }),
  "no metadata": { apiVersion: "{ns}.dev/v1", kind: "Widget" },
  "null metadata": odd({ metadata: null }),
  "list as metadata": odd({ metadata: [] }),
  "text as metadata": odd({ metadata: "w" }),
  "no name": odd({ metadata: {} }),
  "null name": odd({ metadata: { name: null } }),
  "number as name": odd({ metadata: { name: 1 } }),
  "empty name": odd({ metadata: { name: "" } }),
  "another name": odd({ metadata: { name: "v" } }),
  "bad name": odd({ metadata: { name: "A b" } }),
  "another namespace": odd({ metadata: { name: "w", namespace: "other" } }),
  "empty namespace": odd({ metadata: { name: "w", namespace: "" } }),
  "null namespace": odd({ metadata: { name: "w", namespace: null } }),
  "number as namespace": odd({ metadata: { name: "w", namespace: 1 } }),
  "labels with null": odd({ metadata: { name: "w", labels: { a: null } } }),
  "labels with a number": odd({ metadata: { name: "w", labels: { a: 1 } } }),
  "list as labels": odd({ metadata: { name: "w", labels: ["a"] } }),
  "null labels": odd({ metadata: { name: "w", labels: null, annotations: null, finalizers: null } }),
  "null finalizer": odd({ metadata: { name: "w", finalizers: [null] } }),
  "null owner": odd({ metadata: { name: "w", ownerReferences: [null] } }),
  "empty owner": odd({ metadata: { name: "w", ownerReferences: [{}] } }),
  "unknown metadata": odd({ metadata: { name: "w", nope: 1 } }),
  "other case of metadata": odd({ metadata: { Name: "w", nAmespace: "x", name: "w" } }),
  "null uid": odd({ metadata: { name: "w", uid: null, resourceVersion: null, generation: null } }),
  "text as generation": odd({ metadata: { name: "w", generation: "1" } }),
  "float as generation": odd({ metadata: { name: "w", generation: 1.5 } }),
  "bad time": odd({ metadata: { name: "w", creationTimestamp: "x" } }),
  "null time": odd({ metadata: { name: "w", creationTimestamp: null, deletionTimestamp: null } }),
  "number as time": odd({ metadata: { name: "w", creationTimestamp: 1 } }),
  "managed by nothing": odd({ metadata: { name: "w", managedFields: [null] } }),
  "managed by an empty entry": odd({ metadata: { name: "w", managedFields: [{}] } }),
  "null spec": widget(null),
  "list as spec": widget([]),
  "text as spec": widget("a"),
  "no spec": { apiVersion: "{ns}.dev/v1", kind: "Widget", metadata: { name: "w" } },
  "unknown at the root": odd({ nope: null }),
};
const wholes = [
  "",
  " ",
  "null",
  "[]",
  "{}",
  "[{}]",
  '"a"',
  "1",
  "true",
  "{",
  "}",
  "{}{}",
  "{} x",
  "\u0000",
  "\ufeff{}",
  "---",
  "a: b",
  '{"a":1,"a":2}',
  "{'a':1}",
  '{"kind":"Widget","apiVersion":"{ns}.dev/v1","metadata":{"name":"w"},"metadata":{"name":"v"}}',
  '{"kind":"Widget","apiVersion":"{ns}.dev/v1","metadata":{"name":"w"},"spec":{"text":"a","text":"b","number":1,"number":1}}',
  '{"kind":"Widget","apiVersion":"{ns}.dev/v1","metadata":{"name":"w"},"spec":{"number":1e2,"float":1e400}}',
  '{"kind":"Widget","apiVersion":"{ns}.dev/v1","metadata":{"name":"w"},"spec":{"number":1.0,"float":1.0}}',
  '{"kind":"Widget","apiVersion":"{ns}.dev/v1","metadata":{"name":"w"},"spec":{"text":"\\ud800"}}',
  '{"kind":"Widget","apiVersion":"{ns}.dev/v1","metadata":{"name":"w"},"spec":{"anything":9223372036854775808}}',
];
const everywhere = (body: unknown): Step[] => [
  made,
  ...modes.map((mode) => post(`${widgets}?dryRun=All&fieldValidation=${mode}`, body)),
  post(widgets, widget({}), { quiet: true }),
  put(`${widgets}/w?fieldValidation=Strict`, body),
  put(`${widgets}/w?fieldValidation=Warn`, body),
  patch("merge", `${widgets}/w?fieldValidation=Strict&dryRun=All`, body),
  patch("apply", `${widgets}/w?fieldManager=m&dryRun=All`, body),
  patch("apply", `${widgets}/fresh?fieldManager=m&dryRun=All&fieldValidation=Ignore`, body),
  patch("json", `${widgets}/w?dryRun=All`, [{ op: "replace", path: "", value: body }]),
];

export const oddBodies = defineTopic("variants-bodies", {
  ...Object.fromEntries(
    Object.keys(fields).map((field) => [
      `field ${field}`,
      [
        made,
        ...values.filter((value) => isOrdered(field, value)).map((value) => narrowed(trial({ [field]: value }))),
        ...values
          .filter((value) => typeof value === "object" && isOrdered(field, value))
          .map((value) => narrowed(trial({ [field]: value }, "Warn"))),
        post(widgets, widget({}), { quiet: true }),
        patch("merge", `${widgets}/w`, { spec: { [field]: null } }),
        patch("apply", `${widgets}/w?fieldManager=m`, widget({ [field]: null })),
        put(`${widgets}/w`, widget({ [field]: null })),
        get(`${widgets}/w`),
      ],
    ]),
  ),
  ...Object.fromEntries(Object.entries(identities).map(([name, body]) => [`identity: ${name}`, everywhere(body)])),
  ...Object.fromEntries(wholes.map((body) => [`whole: ${JSON.stringify(body)}`, everywhere(body).slice(0, -1)])),
  ...Object.fromEntries(
    wholes
      .slice(0, 20)
      .map((body) => [
        `whole as YAML: ${JSON.stringify(body)}`,
        [made, post(`${widgets}?dryRun=All&fieldValidation=Strict`, body, { type: "application/yaml" })],
      ]),
  ),
});
