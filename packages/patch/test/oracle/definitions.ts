/** OpenAPI definitions of a made-up kind that has every way of merging, in two versions. */
import type { OpenApiDefinitions, OpenApiSchema } from "../../src/index.ts";

const ref = (name: string): OpenApiSchema => ({ $ref: `#/components/schemas/${name}` });
const text: OpenApiSchema = { type: "string" };
const number: OpenApiSchema = { type: "integer" };

const specFields: Readonly<Record<string, OpenApiSchema>> = {
  text,
  flag: { type: "boolean" },
  amount: ref("io.k8s.apimachinery.pkg.api.resource.Quantity"),
  either: { type: "string", format: "int-or-string" },
  labels: { type: "object", additionalProperties: text },
  wholeMap: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
  struct: ref("dev.example.Struct"),
  wholeStruct: { allOf: [ref("dev.example.Struct")], "x-kubernetes-map-type": "atomic" },
  selector: ref("dev.example.Selector"),
  wholeList: { type: "array", items: text, "x-kubernetes-list-type": "atomic" },
  plainList: { type: "array", items: number },
  set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  numbers: { type: "array", items: number, "x-kubernetes-list-type": "set" },
  oldSet: { type: "array", items: text, "x-kubernetes-patch-strategy": "merge" },
  items: {
    type: "array",
    items: ref("dev.example.Item"),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  },
  ports: {
    type: "array",
    items: ref("dev.example.Port"),
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["port", "protocol"],
  },
  named: { type: "object", additionalProperties: ref("dev.example.Struct") },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  anything: { "x-kubernetes-preserve-unknown-fields": true },
  raw: ref("io.k8s.apimachinery.pkg.runtime.RawExtension"),
};

function kind(version: string, sizeField: string): OpenApiSchema & { "x-kubernetes-group-version-kind": object[] } {
  return {
    type: "object",
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { allOf: [ref("dev.example.Meta")], default: {} },
      spec: { type: "object", properties: { ...specFields, [sizeField]: number } },
      status: { type: "object", properties: { ready: number, phases: { ...specFields["items"] } } },
    },
    "x-kubernetes-group-version-kind": [{ group: "example.dev", version, kind: "Thing" }],
  };
}

/** The definitions by name. */
export const definitions: OpenApiDefinitions = {
  "dev.example.v1.Thing": kind("v1", "size"),
  "dev.example.v2.Thing": kind("v2", "replicas"),
  "dev.example.Meta": {
    type: "object",
    properties: {
      name: text,
      namespace: text,
      uid: text,
      resourceVersion: text,
      labels: { type: "object", additionalProperties: text },
      annotations: { type: "object", additionalProperties: text },
      finalizers: {
        type: "array",
        items: text,
        "x-kubernetes-list-type": "set",
        "x-kubernetes-patch-strategy": "merge",
      },
      managedFields: { type: "array", items: { type: "object" }, "x-kubernetes-list-type": "atomic" },
    },
  },
  "dev.example.Struct": { type: "object", properties: { a: text, b: number, inner: ref("dev.example.Struct") } },
  "dev.example.Selector": {
    type: "object",
    properties: { match: { type: "object", additionalProperties: text } },
    "x-kubernetes-map-type": "atomic",
  },
  "dev.example.Item": {
    type: "object",
    properties: {
      name: text,
      value: text,
      struct: ref("dev.example.Struct"),
      set: { type: "array", items: text, "x-kubernetes-list-type": "set" },
      ports: specFields["ports"] ?? {},
    },
    required: ["name"],
  },
  "dev.example.Port": {
    type: "object",
    properties: { port: number, protocol: { type: "string", default: "TCP" }, note: text },
    required: ["port"],
  },
  "io.k8s.apimachinery.pkg.api.resource.Quantity": text,
  "io.k8s.apimachinery.pkg.runtime.RawExtension": { type: "object" },
};

const otherKinds: Readonly<Record<string, OpenApiSchema>> = {
  wholeMap: { type: "object", additionalProperties: text },
  labels: { type: "object", additionalProperties: text, "x-kubernetes-map-type": "atomic" },
  struct: { allOf: [ref("dev.example.Struct")], "x-kubernetes-map-type": "atomic" },
  wholeStruct: ref("dev.example.Struct"),
  set: { type: "array", items: text },
  items: { type: "array", items: ref("dev.example.Item") },
  wholeList: { type: "array", items: text, "x-kubernetes-list-type": "set" },
  free: { type: "object", "x-kubernetes-preserve-unknown-fields": true, "x-kubernetes-map-type": "atomic" },
};

/** The same kind after a schema change: granular parts became atomic, and the reverse. */
export const changedDefinitions: OpenApiDefinitions = Object.fromEntries(
  Object.entries(definitions).map(([name, definition]) => [name, changed(definition)]),
);

function changed(schema: OpenApiSchema): OpenApiSchema {
  const fields = Object.entries(schema.properties ?? {}).map(([name, member]) => {
    const isKnown = Object.hasOwn(otherKinds, name) && name !== "metadata";
    return [name, isKnown ? (otherKinds[name] ?? member) : name === "metadata" ? member : changed(member)] as const;
  });
  return schema.properties === undefined ? schema : { ...schema, properties: Object.fromEntries(fields) };
}
