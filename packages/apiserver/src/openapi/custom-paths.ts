/** The paths of a custom resource in an OpenAPI v3 document: every operation with its parameters, bodies and responses. */
import type { Json } from "@capstan/model";
import { modelName } from "@capstan/schema";
import type { ServedResource } from "../resources/resource.ts";
import { toOperationWord } from "./operation-id.ts";

type Fields = { readonly [key: string]: Json };

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const bodyTypes = ["application/json", "application/yaml"];
const patchTypes = ["application/apply-patch+yaml", "application/json-patch+json", "application/merge-patch+json"];

const booleans = new Set([
  "allowWatchBookmarks",
  "sendInitialEvents",
  "watch",
  "force",
  "orphanDependents",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
]);
const integers = new Set(["limit", "timeoutSeconds", "gracePeriodSeconds"]);
const listParameters = [
  "allowWatchBookmarks",
  "continue",
  "fieldSelector",
  "labelSelector",
  "limit",
  "resourceVersion",
  "resourceVersionMatch",
  "sendInitialEvents",
  "shardSelector",
  "timeoutSeconds",
  "watch",
];
const writeParameters = ["dryRun", "fieldManager", "fieldValidation"];
const deleteParameters = [
  "dryRun",
  "gracePeriodSeconds",
  "ignoreStoreReadErrorWithClusterBreakingPotential",
  "orphanDependents",
  "propagationPolicy",
];

export function pathsOf(resource: ServedResource): Fields {
  const { group, version, namespaced, resource: plural, subresources } = resource;
  const root = `/apis/${group}/${version}`;
  const collection = namespaced ? `${root}/namespaces/{namespace}/${plural}` : `${root}/${plural}`;
  const places = namespaced ? ["namespace"] : [];
  const views = ["scale", "status"].filter((name) => subresources.has(name));
  return {
    [collection]: { ...collectionOperations(resource), parameters: [...places.map(inPath), inQuery("pretty")] },
    [`${collection}/{name}`]: {
      ...objectOperations(resource),
      parameters: [nameOf(resource), ...places.map(inPath), inQuery("pretty")],
    },
    ...Object.fromEntries(
      views.map((name) => [
        `${collection}/{name}/${name}`,
        { ...viewOperations(resource, name), parameters: [nameOf(resource), ...places.map(inPath), inQuery("pretty")] },
      ]),
    ),
    ...(namespaced ? { [`${root}/${plural}`]: everywhere(resource) } : {}),
  };
}

/** The list over all namespaces; its parameters are on the path, not on the operation. */
function everywhere(resource: ServedResource): Json {
  const operation = operationOf(resource, {
    action: "list",
    id: `list${prefixOf(resource)}${toOperationWord(resource.kind, true)}ForAllNamespaces`,
    description: `list objects of kind ${resource.kind}`,
    parameters: [],
    answers: { "200": resource.listKind },
  });
  return { get: operation, parameters: [...listParameters, "pretty"].sort().map(inQuery) };
}

interface Operation {
  readonly action: string;
  readonly id: string;
  readonly description: string;
  readonly parameters: readonly string[];
  readonly body?: { readonly schema: string; readonly types: readonly string[]; readonly required: boolean };
  /** The kind of each response, by status code. */
  readonly answers: { readonly [status: string]: string };
}

function collectionOperations(resource: ServedResource): Fields {
  const { kind, listKind } = resource;
  return {
    get: operationOf(resource, {
      action: "list",
      id: idOf(resource, "list"),
      description: `list objects of kind ${kind}`,
      parameters: listParameters,
      answers: { "200": listKind },
    }),
    post: operationOf(resource, {
      action: "post",
      id: idOf(resource, "create"),
      description: `create a ${kind}`,
      parameters: writeParameters,
      body: { schema: schemaName(resource, kind), types: bodyTypes, required: true },
      answers: { "200": kind, "201": kind, "202": kind },
    }),
    delete: operationOf(resource, {
      action: "deletecollection",
      id: idOf(resource, "delete", { collection: true }),
      description: `delete collection of ${kind}`,
      parameters: listParameters,
      answers: { "200": "Status" },
    }),
  };
}

function objectOperations(resource: ServedResource): Fields {
  const { kind } = resource;
  return {
    ...viewOperations(resource, ""),
    delete: operationOf(resource, {
      action: "delete",
      id: idOf(resource, "delete"),
      description: `delete a ${kind}`,
      parameters: deleteParameters,
      body: { schema: `${meta}.DeleteOptions`, types: bodyTypes, required: false },
      answers: { "200": "Status", "202": "Status" },
    }),
  };
}

/** GET, PUT and PATCH of an object or a subresource. */
function viewOperations(resource: ServedResource, view: string): Fields {
  const kind = view === "scale" ? "Scale" : resource.kind;
  const of = view === "" ? `the specified ${resource.kind}` : `${view} of the specified ${resource.kind}`;
  return {
    get: operationOf(resource, {
      action: "get",
      id: idOf(resource, "read", { view }),
      description: `read ${of}`,
      parameters: ["resourceVersion"],
      answers: { "200": kind },
    }),
    put: operationOf(resource, {
      action: "put",
      id: idOf(resource, "replace", { view }),
      description: `replace ${of}`,
      parameters: writeParameters,
      body: { schema: schemaName(resource, kind), types: bodyTypes, required: true },
      answers: { "200": kind, "201": kind },
    }),
    patch: operationOf(resource, {
      action: "patch",
      id: idOf(resource, "patch", { view }),
      description: `partially update ${of}`,
      parameters: [...writeParameters, "force"],
      body: { schema: `${meta}.Patch`, types: patchTypes, required: true },
      answers: { "200": kind },
    }),
  };
}

function operationOf(resource: ServedResource, operation: Operation): Json {
  const { group, version, kind } = resource;
  const { action, id, description, parameters, body, answers } = operation;
  const answered = Object.entries(answers).map(([status, answer]) => [
    status,
    { description: reasons[status] ?? "", content: contentOf(schemaName(resource, answer), bodyTypes) },
  ]);
  return {
    tags: [`${toOperationWord(groupName(group), false)}_${toOperationWord(version, false)}`],
    description,
    operationId: id,
    ...(parameters.length === 0 ? {} : { parameters: parameters.map(inQuery) }),
    ...(body === undefined
      ? {}
      : { requestBody: { content: contentOf(body.schema, body.types), ...(body.required ? { required: true } : {}) } }),
    responses: { ...Object.fromEntries(answered), "401": { description: "Unauthorized" } } as Json,
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": { group, kind, version },
  };
}

const reasons: { readonly [status: string]: string } = { "200": "OK", "201": "Created", "202": "Accepted" };

function contentOf(schema: string, types: readonly string[]): Json {
  return Object.fromEntries(types.map((type) => [type, { schema: { $ref: `#/components/schemas/${schema}` } }]));
}

function schemaName({ group, version }: ServedResource, kind: string): string {
  if (kind === "Status") return `${meta}.Status`;
  return kind === "Scale" ? "io.k8s.api.autoscaling.v1.Scale" : modelName(group, version, kind);
}

function inQuery(name: string): Json {
  const type = booleans.has(name) ? "boolean" : integers.has(name) ? "integer" : "string";
  return { name, in: "query", schema: { type, uniqueItems: true } };
}

function nameOf({ kind }: ServedResource): Json {
  return { ...(inPath("name") as Fields), description: `name of the ${kind}` };
}

function inPath(name: string): Json {
  return { name, in: "path", required: true, schema: { type: "string", uniqueItems: true } };
}

/** Groups of Kubernetes appear without the suffix `.k8s.io`. */
function groupName(group: string): string {
  return group.replace(/\.k8s\.io$/, "");
}

function prefixOf({ group, version }: ServedResource): string {
  return toOperationWord(groupName(group), true) + toOperationWord(version, true);
}

interface Naming {
  readonly view?: string;
  readonly collection?: boolean;
}

function idOf(resource: ServedResource, verb: string, { view = "", collection = false }: Naming = {}): string {
  const scope = resource.namespaced ? "Namespaced" : "";
  const object = `${collection ? "Collection" : ""}${scope}${resource.kind}`;
  return `${verb}${prefixOf(resource)}${toOperationWord(object, true)}${toOperationWord(view, true)}`;
}
