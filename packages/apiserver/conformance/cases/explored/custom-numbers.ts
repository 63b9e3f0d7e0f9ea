/** Numbers of custom objects: Go keeps integers of up to 64 bits and converts all others to floats. */
import { defineTopic, get, patch, post, type Step } from "../../case.ts";
import { define, specOf, widgets, type Part } from "./widget.ts";

const fields: { readonly [name: string]: Part } = {
  plain: { type: "integer" },
  wide: { type: "integer", format: "int64" },
  narrow: { type: "integer", format: "int32" },
  bounded: { type: "integer", minimum: 1, maximum: 10, exclusiveMaximum: true },
  number: { type: "number" },
  double: { type: "number", format: "double" },
  either: { "x-kubernetes-int-or-string": true },
  listed: { type: "integer", enum: [9007199254740991, 1] },
  free: { "x-kubernetes-preserve-unknown-fields": true },
  ruled: {
    type: "integer",
    "x-kubernetes-validations": [
      { rule: "self < 9223372036854775807 && self % 2 == 1", messageExpression: "self > 5 ? 'large' : 'small'" },
    ],
  },
};
const literals = [
  "9223372036854775807",
  "9223372036854775806",
  "9223372036854775808",
  "-9223372036854775808",
  "-9223372036854775809",
  "9007199254740993",
  "1E18",
  "1e19",
  "18446744073709551615",
  "-0",
  "0.5",
  "1e-7",
];

const schema = specOf(fields);
const columns = Object.keys(fields)
  .filter((name) => name !== "free")
  .map((name) => ({
    name,
    type: name === "number" || name === "double" ? "number" : "integer",
    jsonPath: `.spec.${name}`,
  }));

/** The JSON text of an object, with the numbers as given. */
function text(spec: string, name = "w"): string {
  return `{"apiVersion":"{ns}.dev/v1","kind":"Widget","metadata":{"name":"${name}"},"spec":${spec}}`;
}

function tryLiterals(field: string): Step[] {
  return [define(schema), ...literals.map((literal) => post(`${widgets}?dryRun=All`, text(`{"${field}":${literal}}`)))];
}

const cases: { [name: string]: Step[] } = {};
for (const field of Object.keys(fields)) cases[`literals in a field: ${field}`] = tryLiterals(field);

cases["no float holds it"] = [
  define(schema),
  post(widgets, text('{"number":1e400}')),
  post(widgets, text('{"unknown":-1e999}')),
  post(widgets, "apiVersion: {ns}.dev/v1\nkind: Widget\nmetadata: {name: w}\nspec: {wide: 9223372036854775807}\n", {
    type: "application/yaml",
  }),
];
cases["large integers live on"] = [
  define(schema, { additionalPrinterColumns: columns }),
  post(widgets, text('{"wide":9223372036854775807,"number":1E18,"free":{"deep":[9007199254740993]}}')),
  get(`${widgets}/w`),
  get(widgets, { accept: "application/json;as=Table;v=v1;g=meta.k8s.io" }),
  patch("merge", `${widgets}/w`, '{"spec":{"wide":9223372036854775806}}'),
  patch("merge", `${widgets}/w`, '{"spec":{"bounded":9223372036854775806}}'),
  patch("json", `${widgets}/w`, '[{"op":"test","path":"/spec/wide","value":9223372036854775806}]'),
  patch("json", `${widgets}/w`, '[{"op":"replace","path":"/spec/wide","value":9007199254740993}]'),
  patch("json", `${widgets}/w`, '[{"op":"replace","path":"/spec/either","value":9007199254740993}]'),
  patch(
    "apply",
    `${widgets}/w?fieldManager=a&force=true`,
    text('{"wide":9223372036854775807,"plain":-9007199254740993}'),
  ),
  get(`${widgets}/w`),
];

export const customNumbers = defineTopic("custom-numbers", cases);
