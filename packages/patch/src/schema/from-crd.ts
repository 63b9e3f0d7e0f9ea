/** Reads the type schema of a custom resource from the structural schema of its definition. */
import { deduced, type TypeSchema } from "./type-schema.ts";
import { fromSchema, type OpenApiDefinitions, type OpenApiSchema } from "./from-openapi.ts";

/** Inputs besides the structural schema. */
export interface CrdOptions {
  /** The type of `metadata`; without it, metadata is not typed. */
  readonly definitions?: OpenApiDefinitions;
  /** The definition's `spec.preserveUnknownFields`. */
  readonly preserveUnknownFields?: boolean;
}

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

/** The type of a version of a custom resource; without a schema, values are merged by their shape. */
export function fromCrd(schema: OpenApiSchema | undefined, options: CrdOptions = {}): TypeSchema {
  if (schema === undefined) return deduced;
  const definitions = options.definitions ?? { [objectMeta]: { type: "object" } };
  const preserveUnknownFields = options.preserveUnknownFields ?? false;
  return fromSchema(withObjectFields(withEmbedded(schema)), { definitions, preserveUnknownFields });
}

/** Every object has these three fields, whatever the schema says of them. */
function withObjectFields(schema: OpenApiSchema): OpenApiSchema {
  const text: OpenApiSchema = { type: "string" };
  const metadata: OpenApiSchema = { $ref: `#/components/schemas/${objectMeta}` };
  return { ...schema, properties: { ...schema.properties, apiVersion: text, kind: text, metadata } };
}

/** Embedded resources are objects too, at any depth. */
function withEmbedded(schema: OpenApiSchema): OpenApiSchema {
  const { properties, items, additionalProperties } = schema;
  const entries = Object.entries(properties ?? {}).map(([name, member]) => [name, withEmbedded(member)] as const);
  const inner: OpenApiSchema = {
    ...schema,
    ...(properties && { properties: Object.fromEntries(entries) }),
    ...(items && { items: withEmbedded(items) }),
    ...(typeof additionalProperties === "object" && { additionalProperties: withEmbedded(additionalProperties) }),
  };
  return schema["x-kubernetes-embedded-resource"] === true ? withObjectFields(inner) : inner;
}
