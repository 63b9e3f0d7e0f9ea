/** Nulls in custom objects, for fields of each type, in create and apply. */
import { defineTopic, patch, post, type Step } from "../../case.ts";
import { define, specOf, widget, widgets, type Part } from "../explored/widget.ts";

const text = { type: "string" };
const item = { type: "object", required: ["k"], properties: { k: text, v: text } };
const fields: Part = {
  text,
  number: { type: "integer" },
  object: { type: "object", properties: { a: text } },
  list: { type: "array", items: text },
  map: { type: "object", additionalProperties: text },
  nullable: { type: "string", nullable: true },
  default: { type: "string", default: "x" },
  both: { type: "string", default: "x", nullable: true },
  pairs: { type: "array", items: item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"] },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  anything: { "x-kubernetes-preserve-unknown-fields": true },
  either: { "x-kubernetes-int-or-string": true },
};
const named = (spec: unknown): Part => widget(spec, { metadata: { name: "w" } });
const made = (spec: unknown): Step => post(`${widgets}?dryRun=All`, named(spec));
const applied = (spec: unknown): Step => patch("apply", `${widgets}/w?fieldManager=m`, named(spec));

const cases: { [name: string]: readonly Step[] } = {};
for (const field of [...Object.keys(fields), "unknown"]) {
  const spec = { [field]: null };
  cases[field] = [define(specOf(fields)), made(spec), applied(spec), applied(spec)];
}
cases["further below"] = [
  define(specOf(fields)),
  ...[
    { object: { a: null } },
    { list: [null] },
    { map: { a: null } },
    { pairs: [{ k: "a", v: null }] },
    { pairs: [{ k: null, v: "x" }] },
    { pairs: [null] },
    { set: [null] },
    { anything: { a: null, b: [null] } },
    null,
  ].flatMap((spec) => [made(spec), applied(spec)]),
];

export const nullTours = defineTopic("tour-nulls", cases);
