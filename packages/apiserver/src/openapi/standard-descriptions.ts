/** kube-apiserver's descriptions of the fields that every kind has, which `kubectl explain` shows. */
import type { Json } from "@capstan/model";
import type { ServedResource } from "../resources/resource.ts";

type Fields = { readonly [key: string]: Json | undefined };

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const standard: { readonly [field: string]: string } = {
  apiVersion: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  kind: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
};

/** Their descriptions in embedded objects. */
const embedded: { readonly [field: string]: string } = {
  apiVersion: `apiVersion defines the versioned schema of this representation of an object. More info: ${conventions}#resources`,
  kind: `kind is a string value representing the type of this object. In CamelCase. More info: ${conventions}#types-kinds`,
  metadata: `Standard object's metadata. More info: ${conventions}#metadata`,
};

/** Adds the standard descriptions to a schema. */
export function describe(
  schema: Fields,
  form: "object" | "list",
  { kind, listKind, resource }: Pick<ServedResource, "kind" | "listKind" | "resource">,
): Json {
  const metadata =
    form === "object"
      ? `Standard object's metadata. More info: ${conventions}#metadata`
      : `Standard list metadata. More info: ${conventions}#types-kinds`;
  const texts = {
    ...standard,
    metadata,
    ...(form === "list" ? { items: `List of ${resource}. More info: ${conventions}` } : {}),
  };
  const own = form === "list" ? { description: `${listKind} is a list of ${kind}` } : {};
  if (schema["properties"] === undefined) return { ...own, ...schema } as Json;
  const properties = describeEmbedded(schema["properties"] as Json) as Fields;
  return { ...own, ...schema, properties: describeAll(properties, texts) } as Json;
}

/** Handles embedded objects at any depth. */
function describeEmbedded(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(describeEmbedded);
  if (typeof schema !== "object" || schema === null) return schema;
  const fields = Object.fromEntries(
    Object.entries(schema).map(([key, value]) => [key, value === undefined ? value : describeEmbedded(value)]),
  ) as Fields;
  if (fields["x-kubernetes-embedded-resource"] !== true || fields["properties"] === undefined) return fields as Json;
  return { ...fields, properties: describeAll(fields["properties"] as Fields, embedded) } as Json;
}

function describeAll(properties: Fields, texts: { readonly [field: string]: string }): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const description = texts[name];
      return [name, description === undefined ? property : { ...(property as Fields), description }];
    }),
  ) as Json;
}
