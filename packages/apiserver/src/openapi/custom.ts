/** OpenAPI documents of custom resources, generated from their schemas. */
import type { Json } from "@capstan/model";
import { modelName, publishSchemas, readSchema, validateStructural, type OpenApiVersion } from "@capstan/schema";
import type { Registry } from "../resources/registry.ts";
import type { ServedResource } from "../resources/resource.ts";
import { pathsOf } from "./custom-paths.ts";
import { toVersion2Paths } from "./custom-paths-v2.ts";
import { describeMetadata } from "./metadata-descriptions.ts";
import { describe } from "./standard-descriptions.ts";

type Fields = { readonly [key: string]: Json | undefined };

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";

/** Definitions that every document of a custom resource references, and those for `scale`. */
const sharedNames = [
  "DeleteOptions",
  "FieldsV1",
  "ListMeta",
  "ManagedFieldsEntry",
  "ObjectMeta",
  "OwnerReference",
  "Patch",
  "Preconditions",
  "ShardInfo",
  "Status",
  "StatusCause",
  "StatusDetails",
  "Time",
].map((name) => `${meta}.${name}`);
const scaleNames = ["Scale", "ScaleSpec", "ScaleStatus"].map((name) => `io.k8s.api.autoscaling.v1.${name}`);

/** The documents of group versions with custom resources, by path: `apis/example.com/v1`. */
export function customDocuments(registry: Registry, builtin: BuiltinDocuments): ReadonlyMap<string, Json> {
  const documents = new Map<string, Json>();
  for (const { group, version, resources } of registry.groupVersions()) {
    const custom = [...resources.values()].filter(({ isCustom }) => isCustom);
    if (custom.length > 0) documents.set(`apis/${group}/${version}`, toDocument(custom, builtin));
  }
  return documents;
}

/** The documents of the built-in kinds. */
interface BuiltinDocuments {
  /** By path. */
  readonly v3: { readonly [path: string]: Json };
  readonly v2: Json;
}

function toDocument(resources: readonly ServedResource[], builtin: BuiltinDocuments): Json {
  const hasScale = resources.some(({ subresources }) => subresources.has("scale"));
  const schemas: Fields = {
    ...Object.assign({}, ...resources.map((resource) => schemasOf(resource, "v3"))),
    ...builtinSchemas(builtin, [...(hasScale ? scaleNames : []), ...sharedNames]),
  };
  const sorted = Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes CRD Swagger", version: "v0.1.0" },
    paths: Object.assign({}, ...resources.map(pathsOf)) as Json,
    components: { schemas: describeMetadata(Object.fromEntries(sorted)) as Json },
  };
}

function builtinSchemas({ v3, v2 }: BuiltinDocuments, names: readonly string[]): Fields {
  const documents = ["apis/apps/v1", "api/v1"].map((path) => v3[path] as unknown as Documented | undefined);
  const { definitions } = v2 as unknown as { definitions: { readonly [name: string]: Fields } };
  return Object.fromEntries(
    names.map((name) => {
      const schema = documents.map((one) => one?.components?.schemas?.[name]).find(Boolean) ?? {};
      // Options belong to every group; the document of one group lists only its own.
      const kinds = definitions[name]?.[kindsKey] as readonly { readonly group: string }[] | undefined;
      if (kinds === undefined) return [name, schema];
      return [
        name,
        { ...(schema as Fields), [kindsKey]: kinds.filter(({ group }) => !apart.has(group)) as unknown as Json },
      ];
    }),
  );
}

/** Groups that apiextensions-apiserver does not have in its scheme. */
const apart = new Set(["admission.k8s.io", "apiextensions.k8s.io", "apiregistration.k8s.io", "imagepolicy.k8s.io"]);
const kindsKey = "x-kubernetes-group-version-kind";

interface Documented {
  readonly components?: { readonly schemas?: Fields };
}

/** The schemas of a kind and its list, with kube-apiserver's descriptions of the common fields. */
function schemasOf(resource: ServedResource, openApi: OpenApiVersion): Fields {
  const { group, version, kind, listKind, rules } = resource;
  const fields = rules.serves === "answers" ? {} : (rules.fields ?? {});
  const names = { group, version, kind, listKind, selectableFields: Object.keys(fields) };
  const schema = readSchema(resource.schema);
  const isUsable = schema !== undefined && validateStructural(schema, undefined).length === 0;
  const published = publishSchemas(isUsable ? schema : undefined, names, openApi);
  const [item, list] = [modelName(group, version, kind), modelName(group, version, listKind)];
  return {
    [item]: describe(published[item] as Fields, "object", resource),
    [list]: describe(published[list] as Fields, "list", resource),
  };
}

/** Merges custom resources into the v2 document. */
export function mergeVersion2(builtin: Json, registry: Registry): Json {
  const { definitions, paths, ...rest } = builtin as unknown as { definitions: Fields; paths: Fields } & Fields;
  const custom = [...registry.all()].filter(({ isCustom }) => isCustom);
  const own = custom.map((resource) => schemasOf(resource, "v2"));
  const ownPaths = custom.map((resource) => toVersion2Paths(pathsOf(resource), builtin));
  return {
    ...rest,
    paths: inOrder(Object.assign({}, paths, ...ownPaths) as Fields),
    definitions: Object.assign({}, definitions, ...own) as Json,
  } as Json;
}

function inOrder(fields: Fields): Json {
  return Object.fromEntries(Object.entries(fields).sort(([a], [b]) => (a < b ? -1 : 1))) as Json;
}
