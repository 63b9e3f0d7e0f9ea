/** Invalid CRDs: schemas that are not structural, rules that do not compile, names and versions that do not match. */
import { defineTopic, post } from "../../case.ts";
import { definition, definitions, specOf, type Part } from "./widget.ts";

const bad: readonly (readonly [string, Part])[] = [
  ["no type", specOf({ x: {} })],
  ["unknown type", specOf({ x: { type: "nope" } })],
  ["ref", specOf({ x: { $ref: "#/a" } })],
  ["array no items", specOf({ x: { type: "array" } })],
  [
    "props and additional",
    specOf({ x: { type: "object", properties: { a: { type: "string" } }, additionalProperties: { type: "string" } } }),
  ],
  ["additional false", specOf({ x: { type: "object", additionalProperties: false } })],
  ["unique", specOf({ x: { type: "array", uniqueItems: true, items: { type: "string" } } })],
  ["nested type in anyOf", specOf({ x: { type: "string", anyOf: [{ type: "string" }] } })],
  ["default in anyOf", specOf({ x: { type: "string", anyOf: [{ default: "x" }] } })],
  ["bad default", specOf({ x: { type: "integer", default: "x" } })],
  ["default unknown field", specOf({ x: { type: "object", default: { y: 1 } } })],
  ["default violates", specOf({ x: { type: "integer", minimum: 3, default: 1 } })],
  [
    "default on rule",
    specOf({ x: { type: "integer", default: 1, "x-kubernetes-validations": [{ rule: "self > 3" }] } }),
  ],
  ["bad pattern", specOf({ x: { type: "string", pattern: "(" } })],
  ["perl pattern", specOf({ x: { type: "string", pattern: "(?=a)" } })],
  [
    "list map no keys",
    specOf({
      x: {
        type: "array",
        "x-kubernetes-list-type": "map",
        items: { type: "object", properties: { k: { type: "string" } } },
      },
    }),
  ],
  [
    "list map optional key",
    specOf({
      x: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["k"],
        items: { type: "object", properties: { k: { type: "string" } } },
      },
    }),
  ],
  [
    "list map missing key",
    specOf({
      x: {
        type: "array",
        "x-kubernetes-list-type": "map",
        "x-kubernetes-list-map-keys": ["q"],
        items: { type: "object", properties: { k: { type: "string" } } },
      },
    }),
  ],
  ["list type on object", specOf({ x: { type: "object", "x-kubernetes-list-type": "map" } })],
  ["map type on array", specOf({ x: { type: "array", items: { type: "string" }, "x-kubernetes-map-type": "atomic" } })],
  ["bad list type", specOf({ x: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "nope" } })],
  [
    "set of objects",
    specOf({
      x: {
        type: "array",
        items: { type: "object", properties: { a: { type: "string" } } },
        "x-kubernetes-list-type": "set",
      },
    }),
  ],
  ["int or string with type", specOf({ x: { type: "string", "x-kubernetes-int-or-string": true } })],
  ["embedded not object", specOf({ x: { type: "string", "x-kubernetes-embedded-resource": true } })],
  ["embedded empty", specOf({ x: { type: "object", "x-kubernetes-embedded-resource": true } })],
  ["preserve false", specOf({ x: { type: "object", "x-kubernetes-preserve-unknown-fields": false } })],
  ["root not object", { type: "string" }],
  [
    "metadata props",
    { type: "object", properties: { metadata: { type: "object", properties: { labels: { type: "object" } } } } },
  ],
  [
    "metadata name",
    {
      type: "object",
      properties: { metadata: { type: "object", properties: { name: { type: "string", maxLength: 3 } } } },
    },
  ],
  ["cel syntax", specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "self >" }] } })],
  ["cel type", specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "self + 1" }] } })],
  ["cel undeclared", specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "foo > 1" }] } })],
  ["cel field", specOf({ x: { type: "object", "x-kubernetes-validations": [{ rule: "self.nope" }] } })],
  ["cel empty", specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "" }] } })],
  ["cel blank", specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "  " }] } })],
  ["cel mismatch", specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "self == 'a'" }] } })],
  [
    "cel cost",
    specOf({
      x: {
        type: "array",
        items: {
          type: "array",
          items: { type: "string", "x-kubernetes-validations": [{ rule: "self.contains('x')" }] },
        },
      },
    }),
  ],
  [
    "cel cost nested all",
    specOf({
      x: {
        type: "array",
        items: { type: "string" },
        "x-kubernetes-validations": [{ rule: "self.all(a, self.all(b, a != b || true))" }],
      },
    }),
  ],
  [
    "cel transition in list",
    specOf({
      x: { type: "array", items: { type: "integer", "x-kubernetes-validations": [{ rule: "self > oldSelf" }] } },
    }),
  ],
  [
    "cel messageExpression type",
    specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "true", messageExpression: "1" }] } }),
  ],
  [
    "cel messageExpression syntax",
    specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "true", messageExpression: "'a" }] } }),
  ],
  [
    "cel message newline",
    specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "true", message: "a\nb" }] } }),
  ],
  [
    "cel message blank",
    specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "true", message: " " }] } }),
  ],
  ["cel reason", specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "true", reason: "Nope" }] } })],
  [
    "cel fieldPath",
    specOf({
      x: {
        type: "object",
        properties: { a: { type: "string" } },
        "x-kubernetes-validations": [{ rule: "true", fieldPath: ".b" }],
      },
    }),
  ],
  [
    "cel fieldPath syntax",
    specOf({
      x: {
        type: "object",
        properties: { a: { type: "string" } },
        "x-kubernetes-validations": [{ rule: "true", fieldPath: "a" }],
      },
    }),
  ],
  [
    "cel optionalOldSelf",
    specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "true", optionalOldSelf: true }] } }),
  ],
  [
    "cel optionalOldSelf use",
    specOf({
      x: {
        type: "integer",
        "x-kubernetes-validations": [
          { rule: "oldSelf.hasValue() ? self >= oldSelf.value() : true", optionalOldSelf: true },
        ],
      },
    }),
  ],
  ["cel in anyOf", specOf({ x: { type: "integer", anyOf: [{ "x-kubernetes-validations": [{ rule: "true" }] }] } })],
  [
    "cel multiline message required",
    specOf({ x: { type: "integer", "x-kubernetes-validations": [{ rule: "self >\n1" }] } }),
  ],
  [
    "status schema rule",
    {
      type: "object",
      properties: { status: { type: "object", "x-kubernetes-validations": [{ rule: "self.x == 1" }] } },
    },
  ],
];

const badSpecs: readonly (readonly [string, Part, Part])[] = [
  ["no versions", {}, { versions: [] }],
  [
    "two storage",
    {},
    {
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        { name: "v2", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  ],
  ["no storage", { storage: false }, {}],
  ["no schema", { schema: undefined }, {}],
  ["bad version name", { name: "V_1" }, {}],
  [
    "same versions",
    {},
    {
      versions: [
        { name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } },
        { name: "v1", served: true, storage: false, schema: { openAPIV3Schema: { type: "object" } } },
      ],
    },
  ],
  ["bad scope", {}, { scope: "Nope" }],
  ["bad group", {}, { group: "a" }],
  [
    "bad names",
    {},
    {
      names: {
        plural: "Widgets",
        kind: "widget_",
        singular: "A",
        shortNames: ["B_", "a"],
        listKind: "x y",
        categories: ["C_"],
      },
    },
  ],
  ["name mismatch", {}, { names: { plural: "gadgets", kind: "Gadget" } }],
  ["webhook none", {}, { conversion: { strategy: "Webhook" } }],
  [
    "webhook both",
    {},
    {
      conversion: {
        strategy: "Webhook",
        webhook: {
          conversionReviewVersions: [],
          clientConfig: { url: "http://x", service: { name: "a", namespace: "b" } },
        },
      },
    },
  ],
  [
    "webhook versions",
    {},
    {
      conversion: {
        strategy: "Webhook",
        webhook: { conversionReviewVersions: ["v2"], clientConfig: { url: "https://x" } },
      },
    },
  ],
  [
    "none with webhook",
    {},
    {
      conversion: {
        strategy: "None",
        webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://x" } },
      },
    },
  ],
  ["bad strategy", {}, { conversion: { strategy: "X" } }],
  ["preserve", {}, { preserveUnknownFields: true }],
  [
    "columns",
    {
      additionalPrinterColumns: [
        { name: "", type: "nope", jsonPath: "x", format: "q" },
        { name: "a", type: "string", jsonPath: ".spec[" },
      ],
    },
    {},
  ],
  [
    "scale paths",
    { subresources: { scale: { specReplicasPath: "spec", statusReplicasPath: ".spec.x", labelSelectorPath: ".a" } } },
    {},
  ],
  [
    "scale path array",
    { subresources: { scale: { specReplicasPath: ".spec.a[0]", statusReplicasPath: ".status.x" } } },
    {},
  ],
  [
    "selectable",
    { selectableFields: [{ jsonPath: ".spec.nope" }, { jsonPath: "x" }, { jsonPath: ".metadata.name" }] },
    {},
  ],
  ["deprecation without deprecated", { deprecationWarning: "x" }, {}],
  ["deprecation bad", { deprecated: true, deprecationWarning: "a\nb" }, {}],
];

const trial = `${definitions}?dryRun=All`;

export const customDefinitions = defineTopic("custom-definitions", {
  ...Object.fromEntries(bad.map(([name, schema]) => [`schema: ${name}`, [post(trial, definition(schema))]])),
  ...Object.fromEntries(
    badSpecs.map(([name, version, spec]) => [
      `spec: ${name}`,
      [post(trial, definition({ type: "object" }, version, spec))],
    ]),
  ),
});
