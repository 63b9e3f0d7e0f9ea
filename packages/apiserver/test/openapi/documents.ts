/** A custom resource, and the parts of its OpenAPI documents that are compared: all except the descriptions of Kubernetes. */

const group = "crd-publish.example.com";

const specOfFoo = {
  type: "object",
  description: "Specification of Foo",
  properties: {
    replicas: { type: "integer", format: "int32", minimum: 0, default: 1 },
    port: { "x-kubernetes-int-or-string": true, nullable: true },
    template: {
      type: "object",
      "x-kubernetes-embedded-resource": true,
      properties: {
        apiVersion: { type: "string" },
        kind: { type: "string", description: "Of the template." },
        metadata: { type: "object" },
      },
    },
    bars: {
      description: "List of Bars and their specs.",
      type: "array",
      "x-kubernetes-list-type": "map",
      "x-kubernetes-list-map-keys": ["name"],
      items: {
        type: "object",
        required: ["name"],
        properties: {
          name: { description: "Name of Bar.", type: "string" },
          feeling: { type: "string", enum: ["Great"] },
        },
      },
    },
  },
};

/** The CRD: one version with all features, and one without a structural schema. */
export const definition = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `foos.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { plural: "foos", singular: "foo", kind: "Foo", listKind: "FooList" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: ".spec.replicas", statusReplicasPath: ".status.replicas" },
        },
        selectableFields: [{ jsonPath: ".spec.replicas" }],
        schema: {
          openAPIV3Schema: {
            description: "Foo CRD for Testing",
            type: "object",
            properties: {
              kind: { type: "string", description: "What it is." },
              metadata: { type: "object", properties: { name: { type: "string", maxLength: 10 } } },
              spec: specOfFoo,
              status: { type: "object", properties: { replicas: { type: "integer" } } },
            },
          },
        },
      },
      {
        name: "v2alpha1",
        served: true,
        storage: false,
        schema: { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } },
      },
    ],
  },
};

/** Paths of v3 documents; the v2 document contains all versions. */
export const version3 = ["v1", "v2alpha1"].map((version) => `/openapi/v3/apis/${group}/${version}`);

/** Gets a document from a server. */
export type Fetch = (path: string) => Promise<unknown>;

/** The compared parts, by path. */
export async function comparable(fetch: Fetch): Promise<{ [path: string]: unknown }> {
  const found: { [path: string]: unknown } = {};
  for (const path of version3) {
    const { components, ...rest } = (await fetch(path)) as { components: { schemas: Fields } } & Fields;
    found[path] = {
      ...rest,
      components: { schemas: own(components.schemas) },
      shared: Object.keys(components.schemas),
    };
  }
  const { paths, definitions } = (await fetch("/openapi/v2")) as { paths: Fields; definitions: Fields };
  const ownPaths = Object.entries(paths).filter(([path]) => path.startsWith(`/apis/${group}/`));
  found["/openapi/v2"] = { paths: Object.fromEntries(ownPaths), definitions: own(definitions) };
  return withoutTexts(found) as { [path: string]: unknown };
}

type Fields = { readonly [key: string]: unknown };

function own(schemas: Fields): Fields {
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => name.startsWith("com.example.crd-publish.")));
}

/** Drops descriptions of common parameters, which are those of Kubernetes. */
function withoutTexts(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== "object" || value === null) return value;
  const { description, ...rest } = value as Fields;
  const isShared = "in" in rest && rest["name"] !== "name" && typeof description === "string";
  return Object.fromEntries(Object.entries(isShared ? rest : value).map(([key, part]) => [key, withoutTexts(part)]));
}
