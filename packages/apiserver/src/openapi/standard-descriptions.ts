/** What the real server says about the fields that every kind has; clients such as `kubectl explain` show it. */
import type { Json } from "@capstan/model";
import type { ServedResource } from "../resources/resource.ts";

type Fields = { readonly [key: string]: Json | undefined };

const conventions = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md";
const standard: { readonly [field: string]: string } = {
  apiVersion: `APIVersion defines the versioned schema of this representation of an object. Servers should convert recognized schemas to the latest internal value, and may reject unrecognized values. More info: ${conventions}#resources`,
  kind: `Kind is a string value representing the REST resource this object represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In CamelCase. More info: ${conventions}#types-kinds`,
};

/** A schema with the standard texts in it. */
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
  return { ...own, ...schema, properties: describeAll(schema["properties"] as Fields, texts) } as Json;
}

function describeAll(properties: Fields, texts: { readonly [field: string]: string }): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => {
      const description = texts[name];
      return [name, description === undefined ? property : { description, ...(property as Fields) }];
    }),
  ) as Json;
}
