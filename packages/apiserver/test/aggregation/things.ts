/** Two aggregated servers: a current one, and one with OpenAPI v2 only. */

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** The response of a server to a path. */
export interface Page {
  readonly status: number;
  readonly body: unknown;
}

/** Responses of the server behind a service, by path without query. */
export function answerOf(service: string, path: string): Page {
  const body = service === "old" ? oldPages[path] : newPages[path];
  return body === undefined ? { status: 404, body: { kind: "Status", code: 404 } } : { status: 200, body };
}

const resources = {
  thing: { name: "things", singularName: "thing", namespaced: true, kind: "Thing", verbs: ["get", "list"] },
  status: { name: "things/status", singularName: "", namespaced: true, kind: "Thing", verbs: ["get"] },
};

function discovery(groupVersion: string): object {
  return { kind: "APIResourceList", groupVersion, resources: [resources.thing, resources.status] };
}

function ok(name: string): object {
  return {
    "200": { description: "OK", schema: { $ref: `#/definitions/${name}` } },
    "401": { description: "Unauthorized" },
  };
}

function reading(group: string, version: string, name: string): object {
  return {
    get: {
      description: `read a ${name}`,
      consumes: ["application/json"],
      produces: ["application/json", "application/yaml"],
      schemes: ["https"],
      tags: ["things"],
      operationId: `read${name}`,
      parameters: [{ uniqueItems: true, type: "boolean", name: "exact", in: "query" }],
      responses: ok(`dev.things.${name}`),
      "x-kubernetes-action": "get",
      "x-kubernetes-group-version-kind": { group, version, kind: "Thing" },
    },
    put: {
      consumes: ["application/json"],
      produces: ["application/json"],
      schemes: ["https"],
      operationId: `replace${name}`,
      parameters: [{ name: "body", in: "body", required: true, schema: { $ref: `#/definitions/dev.things.${name}` } }],
      responses: ok(`dev.things.${name}`),
    },
    parameters: [
      { $ref: "#/parameters/namespace-vgWSWtn3" },
      { uniqueItems: true, type: "string", description: "name of the thing", name: "name", in: "path", required: true },
    ],
  };
}

function thing(extra: object): object {
  return {
    description: "A thing.",
    type: "object",
    required: ["size"],
    properties: {
      metadata: { $ref: `#/definitions/${meta}.ObjectMeta`, description: "What all things have.", default: {} },
      size: { type: "integer", format: "int32", default: 0 },
      parts: { type: "array", items: { $ref: "#/definitions/dev.things.Part" }, "x-kubernetes-list-type": "atomic" },
      notes: { type: "object", additionalProperties: { type: "string" } },
      ...extra,
    },
    "x-kubernetes-group-version-kind": [{ group: "things.dev", version: "v1", kind: "Thing" }],
  };
}

const version2 = {
  swagger: "2.0",
  info: { title: "Things", version: "v1" },
  paths: {
    "/apis/things.dev/v1/namespaces/{namespace}/things/{name}": reading("things.dev", "v1", "Thing"),
    "/apis/things.dev/v1beta1/namespaces/{namespace}/things/{name}": reading("things.dev", "v1beta1", "OldThing"),
    "/apis/others.dev/v1/namespaces/{namespace}/others/{name}": reading("others.dev", "v1", "Other"),
    "/version/": { get: { produces: ["application/json"], schemes: ["https"], responses: ok(`${meta}.Time`) } },
  },
  definitions: {
    "dev.things.Thing": thing({}),
    "dev.things.OldThing": thing({ only: { $ref: "#/definitions/dev.things.OnlyOld" } }),
    "dev.things.OnlyOld": { type: "string" },
    "dev.things.Other": thing({ shared: { $ref: `#/definitions/${meta}.Duration` } }),
    "dev.things.Part": { type: "object", properties: { inner: { $ref: "#/definitions/dev.things.Part" } } },
    "dev.things.Lonely": { type: "string", description: "Nobody needs it." },
    [`${meta}.ObjectMeta`]: { type: "object", properties: { name: { type: "string" } } },
    [`${meta}.Duration`]: { type: "string" },
    [`${meta}.Time`]: { type: "string", format: "old" },
  },
  parameters: {
    "namespace-vgWSWtn3": { type: "string", format: "things", name: "namespace", in: "path", required: true },
    "exact-1234": { uniqueItems: true, type: "boolean", name: "exact", in: "query" },
  },
};

const documentOfThings = { openapi: "3.0.0", info: { title: "Things", version: "v1" }, paths: {} };

const newPages: { readonly [path: string]: unknown } = {
  "/apis/things.dev/v1": discovery("things.dev/v1"),
  "/apis/others.dev/v1": discovery("others.dev/v1"),
  "/openapi/v2": version2,
  "/openapi/v3": {
    paths: {
      "apis/things.dev/v1": { serverRelativeURL: "/openapi/v3/apis/things.dev/v1?hash=ABC" },
      "apis/others.dev/v1": { serverRelativeURL: "/openapi/v3/apis/others.dev/v1?hash=DEF" },
      "apis/things.dev": { serverRelativeURL: "/openapi/v3/apis/things.dev?hash=012" },
    },
  },
  "/openapi/v3/apis/things.dev/v1": documentOfThings,
};

const oldPages: { readonly [path: string]: unknown } = {
  "/apis/old.dev/v1": discovery("old.dev/v1"),
  "/openapi/v2": {
    ...version2,
    paths: { "/apis/old.dev/v1/namespaces/{namespace}/things/{name}": reading("old.dev", "v1", "Thing") },
    definitions: {
      ...version2.definitions,
      [`${meta}.ObjectMeta`]: { type: "object", properties: { uid: { type: "string" } } },
    },
    securityDefinitions: { Token: { description: "Bearer", type: "apiKey", name: "authorization", in: "header" } },
  },
};
