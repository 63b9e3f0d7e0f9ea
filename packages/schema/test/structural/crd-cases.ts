/** Definitions with one or two errors each, for the server and for us. */
import type { Json } from "@capstan/model";

type Fields = { [key: string]: Json };

const baseSchema: Fields = {
  type: "object",
  properties: { spec: { type: "object", properties: { size: { type: "integer" }, name: { type: "string" } } } },
};

/** A valid definition. */
export function baseCrd(schema: Json = baseSchema, version: Fields = {}): Fields {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: "widgets.example.com" },
    spec: {
      group: "example.com",
      names: { plural: "widgets", kind: "Widget" },
      scope: "Namespaced",
      versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: schema }, ...version }],
    },
  };
}

function withSpec(spec: Fields): Fields {
  const crd = baseCrd();
  return { ...crd, spec: { ...(crd["spec"] as Fields), ...spec } };
}

function withProperty(property: Json): Fields {
  return baseCrd({ type: "object", properties: { spec: { type: "object", properties: { x: property } } } });
}

const namedVersion = (name: string, more: Fields = {}): Fields => ({
  name,
  served: true,
  storage: false,
  schema: { openAPIV3Schema: { type: "object", description: name } },
  ...more,
});

/** Whole definitions. */
export const specCases: readonly Fields[] = [
  baseCrd(),
  { ...baseCrd(), metadata: { name: "wrong.example.com" } },
  { ...baseCrd(), metadata: { name: "Widgets.example.com", labels: { "bad key": "x" }, annotations: { "a/b/c": "" } } },
  { ...baseCrd(), metadata: { name: "widgets.example.com", namespace: "x" } },
  withSpec({ group: "" }),
  withSpec({ group: "Example.com" }),
  withSpec({ group: "example" }),
  withSpec({ group: "x.k8s.io" }),
  {
    ...withSpec({ group: "x.k8s.io" }),
    metadata: { name: "widgets.x.k8s.io", annotations: { "api-approved.kubernetes.io": "bogus" } },
  },
  {
    ...withSpec({ group: "x.k8s.io" }),
    metadata: { name: "widgets.x.k8s.io", annotations: { "api-approved.kubernetes.io": "unapproved, testing" } },
  },
  {
    ...withSpec({ group: "x.k8s.io" }),
    metadata: { name: "widgets.x.k8s.io", annotations: { "api-approved.kubernetes.io": "https://example.com/x" } },
  },
  withSpec({ scope: "" }),
  withSpec({ scope: "Everywhere" }),
  withSpec({ preserveUnknownFields: true }),
  withSpec({ names: { plural: "", kind: "" } }),
  withSpec({
    names: {
      plural: "Widgets",
      kind: "Wid_get",
      singular: "W",
      listKind: "9List",
      shortNames: ["W!", "ok"],
      categories: ["All", "x"],
    },
  }),
  withSpec({ names: { plural: "widgets", kind: "Widget", listKind: "Widget" } }),
  withSpec({ versions: [] }),
  withSpec({ versions: [namedVersion("v1"), namedVersion("v2")] }),
  withSpec({ versions: [namedVersion("v1", { storage: true }), namedVersion("v1")] }),
  withSpec({ versions: [namedVersion("v1", { storage: true }), namedVersion("V2", { storage: true })] }),
  withSpec({ versions: [namedVersion("v1", { storage: true }), { name: "v2", served: true, storage: false }] }),
  withSpec({ versions: [{ name: "v1", served: true, storage: true }] }),
  withSpec({ versions: [{ name: "v1", served: true, storage: true, schema: {} }] }),
  withSpec({ conversion: { strategy: "" } }),
  withSpec({ conversion: { strategy: "Magic" } }),
  withSpec({
    conversion: { strategy: "None", webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://x" } } },
  }),
  withSpec({ conversion: { strategy: "Webhook" } }),
  withSpec({ conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"] } } }),
  withSpec({
    conversion: { strategy: "Webhook", webhook: { conversionReviewVersions: ["v7", "v7", "V"], clientConfig: {} } },
  }),
  withSpec({
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "http://u:p@h/x?y#z" } },
    },
  }),
  withSpec({
    conversion: {
      strategy: "Webhook",
      webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://" } },
    },
  }),
  withSpec({
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { name: "", namespace: "n", port: 70000, path: "a//B/" } },
      },
    },
  }),
  withSpec({
    conversion: {
      strategy: "Webhook",
      webhook: {
        conversionReviewVersions: ["v1"],
        clientConfig: { service: { name: "s", namespace: "n", path: "/ok" } },
      },
    },
  }),
  baseCrd(baseSchema, { deprecationWarning: "x" }),
  baseCrd(baseSchema, { deprecated: true, deprecationWarning: "" }),
  baseCrd(baseSchema, { deprecated: true, deprecationWarning: "tab\there" }),
  baseCrd(baseSchema, { deprecated: true, deprecationWarning: "x".repeat(300) }),
  baseCrd(baseSchema, { subresources: { scale: { specReplicasPath: "", statusReplicasPath: "status.x" } } }),
  baseCrd(baseSchema, {
    subresources: {
      scale: { specReplicasPath: ".status.x", statusReplicasPath: ".spec.x", labelSelectorPath: ".metadata.x" },
    },
  }),
  baseCrd({ ...baseSchema, nullable: true }, { subresources: { status: {} } }),
  baseCrd({ ...baseSchema, maxProperties: 3 }, { subresources: { status: {} } }),
  baseCrd({ type: "array", items: { type: "string" } }, { subresources: { status: {} } }),
  baseCrd(baseSchema, {
    additionalPrinterColumns: [
      { name: "", type: "", jsonPath: "" },
      { name: "A", type: "text", format: "weird", jsonPath: "spec.x" },
      { name: "B", type: "date", format: "date-time", jsonPath: ".metadata.creationTimestamp" },
    ],
  }),
  baseCrd(baseSchema, {
    selectableFields: [{ jsonPath: "" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec.size" }, { jsonPath: ".spec" }],
  }),
  baseCrd(baseSchema, {
    selectableFields: [{ jsonPath: ".spec.nope" }, { jsonPath: "spec" }, { jsonPath: ".spec['x']" }, { jsonPath: "." }],
  }),
  baseCrd(
    { type: "object", properties: { metadata: { type: "object", properties: { name: { type: "string" } } } } },
    { selectableFields: [{ jsonPath: ".metadata.name" }] },
  ),
  withSpec({
    versions: [
      namedVersion("v1", {
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: "A", type: "x", jsonPath: ".a" }],
      }),
      namedVersion("v2", { schema: { openAPIV3Schema: { type: "object", allOf: [{ type: "object" }] } } }),
    ],
  }),
];

/** Schemas of one field. */
export const propertyCases: readonly Json[] = [
  {},
  { type: "text" },
  { type: "null" },
  { type: "array" },
  { type: "array", items: {} },
  { type: "array", items: [{ type: "string" }] },
  { type: "string", id: "x" },
  { type: "string", $ref: "#/x" },
  { type: "object", patternProperties: { x: { type: "string" } } },
  { type: "object", definitions: { x: { type: "string" } } },
  { type: "object", dependencies: { x: ["y"] } },
  { type: "array", items: { type: "string" }, additionalItems: true },
  { type: "array", items: { type: "string" }, uniqueItems: true },
  { type: "object", additionalProperties: { type: "string" }, properties: { a: { type: "string" } } },
  { type: "object", additionalProperties: false, properties: { a: { type: "string" } } },
  { type: "object", additionalProperties: true, properties: { a: { type: "string" } } },
  { type: "string", pattern: "(" },
  { type: "string", pattern: "a(?=b)" },
  { type: "string", pattern: "[z-a]" },
  { type: "string", pattern: "a**" },
  { type: "object", "x-kubernetes-preserve-unknown-fields": false },
  { "x-kubernetes-int-or-string": true, "x-kubernetes-preserve-unknown-fields": true },
  { "x-kubernetes-int-or-string": true, "x-kubernetes-embedded-resource": true },
  { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] },
  { "x-kubernetes-int-or-string": true, anyOf: [{ type: "string" }, { type: "integer" }] },
  {
    "x-kubernetes-int-or-string": true,
    allOf: [{ anyOf: [{ type: "integer" }, { type: "string" }] }, { pattern: "x" }],
  },
  { "x-kubernetes-embedded-resource": true },
  { type: "string", "x-kubernetes-embedded-resource": true },
  { type: "object", "x-kubernetes-embedded-resource": true },
  { type: "object", "x-kubernetes-embedded-resource": true, additionalProperties: { type: "string" } },
  {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    properties: { kind: { type: "integer" }, metadata: { type: "string" } },
  },
  { type: "object", "x-kubernetes-map-type": "weird" },
  { type: "array", items: { type: "string" }, "x-kubernetes-map-type": "atomic" },
  { "x-kubernetes-map-type": "atomic", "x-kubernetes-preserve-unknown-fields": true },
  { type: "object", "x-kubernetes-list-type": "set" },
  { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" },
  {
    type: "array",
    items: { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "set" },
    "x-kubernetes-list-type": "set",
  },
  { type: "array", items: { type: "string", nullable: true }, "x-kubernetes-list-type": "set" },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "bag" },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-map-keys": ["a"] },
  { type: "array", items: { type: "string" }, "x-kubernetes-list-type": "map" },
  { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "map" },
  {
    type: "array",
    items: { type: "object", properties: { a: { type: "object" }, b: { type: "string", nullable: true } } },
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["a", "b", "b", "c"],
  },
  {
    type: "object",
    allOf: [
      {
        type: "object",
        description: "d",
        title: "t",
        nullable: true,
        default: {},
        properties: { metadata: {}, z: { required: ["q"] } },
      },
    ],
  },
  { type: "object", anyOf: [{ properties: { q: { minimum: 1 } } }], not: { additionalProperties: { type: "string" } } },
  {
    type: "object",
    oneOf: [
      {
        "x-kubernetes-list-type": "set",
        "x-kubernetes-map-type": "atomic",
        "x-kubernetes-list-map-keys": ["x"],
        "x-kubernetes-validations": [{ rule: "true" }],
      },
    ],
  },
  { type: "string", default: 5 },
  { type: "string", enum: ["a"], default: "b" },
  { type: "object", default: { a: 1 } },
  { type: "object", properties: { a: { type: "integer", minimum: 3 } }, default: { a: 1 } },
  {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
    default: { apiVersion: "v1", kind: "Pod", metadata: { name: "a/b" } },
  },
  {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
    default: { kind: 5 },
  },
  {
    type: "object",
    "x-kubernetes-embedded-resource": true,
    "x-kubernetes-preserve-unknown-fields": true,
    properties: { metadata: { type: "object", default: { name: "x" } } },
  },
  { type: "array", items: { type: "string", maxLength: 1, default: "toolong" } },
  { type: "string", format: "no-such", default: "x" },
  { type: "integer", format: "int32", default: 3000000000 },
];

/** Rules on a field, as `[schema, rules]`. */
export const ruleCases: readonly (readonly [Fields, readonly Fields[]])[] = [
  [{ type: "integer" }, [{ rule: "self > 0" }]],
  [{ type: "integer" }, [{ rule: "" }]],
  [{ type: "integer" }, [{ rule: "  ", message: "x" }]],
  [{ type: "integer" }, [{ rule: "self > 0", message: " " }]],
  [{ type: "integer" }, [{ rule: "self > 0", message: "a\nb" }]],
  [{ type: "integer" }, [{ rule: "self >\n0" }]],
  [{ type: "integer" }, [{ rule: "self > 0", messageExpression: "  " }]],
  [{ type: "integer" }, [{ rule: "self > 0", reason: "Nope" }]],
  [{ type: "integer" }, [{ rule: "self > 0", fieldPath: " " }]],
  [{ type: "object", properties: { a: { type: "string" } } }, [{ rule: "true", fieldPath: ".b" }]],
  [{ type: "object", properties: { a: { type: "string" } } }, [{ rule: "self.a != ''", fieldPath: ".a" }]],
  [{ type: "object", additionalProperties: { type: "string" } }, [{ rule: "true", fieldPath: "['x y']" }]],
  [{ type: "integer" }, [{ rule: "self + 1" }]],
  [{ type: "integer" }, [{ rule: "self > 'a'" }]],
  [{ type: "integer" }, [{ rule: "selfish > 1" }]],
  [{ type: "integer" }, [{ rule: "self >" }]],
  [{ type: "object", properties: { a: { type: "string" } } }, [{ rule: "self.b == 1" }]],
  [{ type: "integer" }, [{ rule: "self > 0", messageExpression: "5" }]],
  [{ type: "integer" }, [{ rule: "self > 0", messageExpression: "'x' +" }]],
  [{ type: "integer" }, [{ rule: "self > 0", messageExpression: "'got ' + string(self)" }]],
  [{ type: "integer" }, [{ rule: "self >= oldSelf" }]],
  [{ type: "integer" }, [{ rule: "self >= oldSelf.orValue(0)", optionalOldSelf: true }]],
  [{ type: "integer" }, [{ rule: "self >= 0", optionalOldSelf: true }]],
  [{ type: "string" }, [{ rule: "self.matches('(')" }]],
  [{ type: "string" }, [{ rule: "self.contains(self)" }]],
  [{ type: "string", maxLength: 10 }, [{ rule: "self.contains(self)" }]],
  [{ type: "array", items: { type: "string" } }, [{ rule: "self.all(a, self.all(b, a == b))" }]],
  [{ type: "array", items: { type: "string" } }, [{ rule: "self.all(a, a.startsWith('x'))" }]],
  [
    { type: "array", maxItems: 10, items: { type: "string", maxLength: 20 } },
    [{ rule: "self.all(a, self.exists_one(b, a == b))" }],
  ],
  [
    { type: "object", additionalProperties: { type: "string" } },
    [{ rule: "self.all(k, self[k].matches('^[a-z]+$'))" }],
  ],
  [
    { type: "object", properties: { "my-key": { type: "string" }, namespace: { type: "string" } } },
    [{ rule: "self.my__dash__key == self.__namespace__" }],
  ],
  [{ "x-kubernetes-int-or-string": true }, [{ rule: "type(self) == int ? self > 1 : self.contains('%')" }]],
  [{ type: "string", format: "date-time" }, [{ rule: "self > timestamp('2020-01-01T00:00:00Z')" }]],
  [{ type: "string", format: "duration" }, [{ rule: "self < duration('1h')" }]],
  [{ type: "string", format: "byte" }, [{ rule: "size(self) < 5" }]],
  [{ "x-kubernetes-preserve-unknown-fields": true }, [{ rule: "true" }]],
  [{ type: "object", "x-kubernetes-preserve-unknown-fields": true }, [{ rule: "self.x == 1" }]],
  [{ type: "string" }, [{ rule: "isURL(self) && url(self).getScheme() == 'https'" }]],
  [{ type: "string" }, [{ rule: "quantity(self).isLessThan(quantity('5Gi'))" }]],
  [{ type: "string" }, [{ rule: "isIP(self) || isCIDR(self)" }]],
  [{ type: "string" }, [{ rule: "self.split(',').all(x, x.size() > 0)" }]],
  [{ type: "string" }, [{ rule: "!format.dns1123Label().validate(self).hasValue()" }]],
];

/** The rule cases as whole definitions: on a field, on list items and on map values. */
export function ruleCrds(): Fields[] {
  const wrap = (schema: Fields, rules: readonly Fields[]): Fields => ({ ...schema, "x-kubernetes-validations": rules });
  return ruleCases.flatMap(([schema, rules]) => [
    withProperty(wrap(schema, rules)),
    withProperty({ type: "array", items: wrap(schema, rules) }),
    withProperty({ type: "object", maxProperties: 3, additionalProperties: wrap(schema, rules) }),
  ]);
}

/** All definitions. */
export function crdCases(): Fields[] {
  const metadata = (schema: Json): Fields => baseCrd({ type: "object", properties: { metadata: schema } });
  return [
    ...specCases,
    ...propertyCases.map(withProperty),
    ...ruleCrds(),
    metadata({ type: "object" }),
    metadata({ type: "string" }),
    metadata({ type: "object", description: "d" }),
    metadata({ type: "object", properties: { name: { type: "string", maxLength: 5 } } }),
    metadata({ type: "object", properties: { labels: { type: "object" } } }),
    metadata({ type: "object", properties: { name: { type: "string", default: "x" } } }),
    metadata({ type: "object", "x-kubernetes-embedded-resource": true }),
    baseCrd({ type: "string" }),
    baseCrd({}),
    baseCrd({ type: "object", additionalProperties: { type: "string" } }),
    baseCrd({
      type: "object",
      properties: { kind: { type: "integer" }, apiVersion: { type: "string", default: "x" } },
    }),
  ];
}

/** Definitions that replace others, as `[new, old]`. */
export function updateCases(): (readonly [Fields, Fields])[] {
  const stored = (crd: Fields, status: Fields = {}): Fields => ({
    ...crd,
    metadata: { ...(crd["metadata"] as Fields), resourceVersion: "1", uid: "u", generation: 1 },
    status: { storedVersions: ["v1"], conditions: [{ type: "Established", status: "True" }], ...status },
  });
  const base = stored(baseCrd());
  const replaced = (crd: Fields): Fields => ({
    ...crd,
    metadata: { ...(crd["metadata"] as Fields), resourceVersion: "1", uid: "u", generation: 1 },
  });
  return [
    [replaced(baseCrd()), base],
    [baseCrd(), base],
    [replaced(withSpec({ scope: "Cluster" })), base],
    [replaced(withSpec({ scope: "Cluster" })), stored(baseCrd(), { conditions: [] })],
    [replaced(withSpec({ names: { plural: "widgets", kind: "Gadget" } })), base],
    [replaced(withSpec({ group: "other.com" })), base],
    [replaced(withSpec({ versions: [namedVersion("v2", { storage: true })] })), base],
    [replaced(withProperty({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" })), base],
    [
      replaced(withProperty({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" })),
      stored(withProperty({ type: "array", items: { type: "object" }, "x-kubernetes-list-type": "set" })),
    ],
    [replaced(withProperty({ type: "text" })), stored(withProperty({ type: "text" }))],
    [
      replaced(withProperty({ type: "object", default: { a: 1 } })),
      stored(withProperty({ type: "object", default: { b: 1 } })),
    ],
    ...ruleCases.slice(24, 30).map(([schema, rules]): readonly [Fields, Fields] => {
      const crd = withProperty({ ...schema, "x-kubernetes-validations": rules });
      return [replaced(crd), stored(crd)];
    }),
  ];
}
