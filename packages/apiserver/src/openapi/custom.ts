/** OpenAPI documents of custom kinds, made from their schemas. */
import type { Json } from "@capstan/model";
import type { Registry } from "../resources/registry.ts";
import type { ServedResource } from "../resources/resource.ts";

type Fields = { readonly [key: string]: Json | undefined };

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** What every document of a custom kind refers to. */
const sharedNames = ["ObjectMeta", "ListMeta", "OwnerReference", "ManagedFieldsEntry", "FieldsV1", "Time"];

/** The documents of groups and versions with custom kinds, by path: `apis/example.com/v1`. */
export function customDocuments(
  registry: Registry,
  builtin: { readonly [path: string]: Json },
): ReadonlyMap<string, Json> {
  const documents = new Map<string, Json>();
  for (const { group, version, resources } of registry.groupVersions()) {
    const custom = [...resources.values()].filter(({ isCustom }) => isCustom);
    if (custom.length > 0) documents.set(`apis/${group}/${version}`, toDocument(custom, sharedSchemas(builtin)));
  }
  return documents;
}

function sharedSchemas(builtin: { readonly [path: string]: Json }): Fields {
  const { components } = (builtin["api/v1"] ?? {}) as { components?: { schemas?: Fields } };
  const names = sharedNames.map((name) => `${meta}.${name}`);
  return Object.fromEntries(names.map((name) => [name, components?.schemas?.[name] ?? {}]));
}

function toDocument(resources: readonly ServedResource[], shared: Fields): Json {
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: Object.assign({}, ...resources.map(pathsOf)) as Json,
    components: { schemas: { ...Object.assign({}, ...resources.map(schemasOf)), ...shared } as Json },
  };
}

/** `com.example.v1.Widget`: the group backwards, as Go packages go. */
export function definitionName({ group, version }: Pick<ServedResource, "group" | "version">, kind: string): string {
  return `${group.split(".").reverse().join(".")}.${version}.${kind}`;
}

function schemasOf(resource: ServedResource): Fields {
  const { kind, listKind } = resource;
  return {
    [definitionName(resource, kind)]: objectSchema(resource),
    [definitionName(resource, listKind)]: listSchema(resource),
  };
}

function kindFacts({ group, version }: ServedResource, kind: string): Json {
  return [{ group, kind, version }];
}

function reference(name: string): Json {
  return { $ref: `#/components/schemas/${name}` };
}

const text: Json = { type: "string" };

function objectSchema(resource: ServedResource): Json {
  const schema = (resource.schema ?? { type: "object" }) as Fields;
  const metadata = { allOf: [reference(`${meta}.ObjectMeta`)] };
  return {
    ...schema,
    properties: { apiVersion: text, kind: text, metadata, ...withoutMeta(schema["properties"] as Fields | undefined) },
    "x-kubernetes-group-version-kind": kindFacts(resource, resource.kind),
  };
}

function withoutMeta(properties: Fields | undefined): Fields {
  const { apiVersion: _apiVersion, kind: _kind, metadata: _metadata, ...rest } = properties ?? {};
  return rest;
}

function listSchema(resource: ServedResource): Json {
  return {
    type: "object",
    required: ["items"],
    properties: {
      apiVersion: text,
      kind: text,
      metadata: { allOf: [reference(`${meta}.ListMeta`)] },
      items: { type: "array", items: reference(definitionName(resource, resource.kind)) },
    },
    "x-kubernetes-group-version-kind": kindFacts(resource, resource.listKind),
  };
}

/** Clients look here for what a server understands before they rely on it. */
const writeParameters: Json = ["dryRun", "fieldManager", "fieldValidation"].map((name) => ({
  name,
  in: "query",
  schema: { type: "string", uniqueItems: true },
}));
const writes = new Set(["post", "put", "patch"]);

function pathsOf(resource: ServedResource): Fields {
  const { group, version, kind, listKind, namespaced, resource: plural } = resource;
  const root = `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const operation = (action: string, answer: string): Json => ({
    ...(writes.has(action) ? { parameters: writeParameters } : {}),
    responses: {
      "200": {
        description: "OK",
        content: { "application/json": { schema: reference(definitionName(resource, answer)) } },
      },
    },
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, kind, version },
  });
  return {
    [collection]: {
      get: operation("list", listKind),
      post: operation("post", kind),
      delete: operation("deletecollection", listKind),
    },
    [`${collection}/{name}`]: {
      get: operation("get", kind),
      put: operation("put", kind),
      patch: operation("patch", kind),
      delete: operation("delete", kind),
    },
  };
}

/** The document of version 2 with custom kinds in it. */
export function mergeVersion2(builtin: Json, custom: ReadonlyMap<string, Json>): Json {
  const { definitions, paths, ...rest } = builtin as unknown as { definitions: Fields; paths: Fields } & Fields;
  const merged: { [name: string]: Json | undefined } = { ...definitions };
  for (const document of custom.values()) {
    const { components } = document as unknown as { components: { schemas: Fields } };
    for (const [name, schema] of Object.entries(components.schemas)) merged[name] ??= asVersion2(schema ?? {});
  }
  return { ...rest, definitions: merged, paths } as Json;
}

/** References point elsewhere in version 2. */
function asVersion2(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll("#/components/schemas/", "#/definitions/")) as Json;
}
