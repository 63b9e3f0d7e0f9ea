/** The types of Kubernetes itself, from their OpenAPI definitions. */
import { builtInDefinitions, type Definition } from "@capstan/kinds";
import type { Json } from "@capstan/model";
import { parseQuantity } from "@capstan/model";
import type { Field, GoType } from "./go-type.ts";

const known = new Map<string, GoType>();

/** The type of a definition such as `io.k8s.api.apps.v1.DeploymentSpec`. */
export function builtIn(name: string): GoType {
  const found = known.get(name) ?? toType(name, builtInDefinitions()[name] ?? {});
  known.set(name, found);
  return found;
}

function toType(name: string, definition: Definition): GoType {
  const special = specials[name.split(".").at(-1) ?? ""];
  if (special !== undefined) return special;
  if (definition.properties === undefined) return ofDefinition(definition);
  const fields = Object.entries(definition.properties).map(([json, property]): Field => ({
    json,
    go: capitalized(json),
    type: () => fieldType(name, json) ?? ofDefinition(property),
    optional: true,
    pointer: false,
    ...embeddedIn(name, json),
  }));
  return { kind: "struct", name: goName(name), fields };
}

function ofDefinition(definition: Definition): GoType {
  if (definition.$ref !== undefined) return builtIn(definition.$ref);
  switch (definition.type) {
    case "string":
      return { kind: "string", name: "string" };
    case "boolean":
      return { kind: "bool" };
    case "integer":
      return { kind: "int", name: definition.format === "int64" ? "int64" : "int32" };
    case "number":
      return { kind: "float" };
    case "array":
      return { kind: "list", of: () => ofDefinition(definition.items ?? {}) };
    case "object":
      return definition.additionalProperties === undefined ? { kind: "raw" } : mapOf(definition.additionalProperties);
    default:
      return { kind: "raw" };
  }
}

/** Named string types. */
function fieldType(name: string, json: string): GoType | undefined {
  if (name.endsWith(".CustomResourceConversion") && json === "strategy")
    return { kind: "string", name: "v1.ConversionStrategyType" };
  if (!name.endsWith(".RuleWithOperations") || json !== "operations") return undefined;
  return { kind: "list", of: () => ({ kind: "string", name: "v1.OperationType" }) };
}

/** The fields that a struct has from another one, which it embeds. */
function embeddedIn(name: string, json: string): { readonly embedded?: string } {
  if (name.endsWith(".RuleWithOperations") && json !== "operations") return { embedded: "Rule" };
  return json === "apiVersion" || json === "kind" ? typeMetaOf(name) : {};
}

function typeMetaOf(name: string): { readonly embedded?: string } {
  const isKind = builtInDefinitions()[name]?.["x-kubernetes-group-version-kind"] !== undefined;
  return isKind ? { embedded: "TypeMeta" } : {};
}

function mapOf(values: Definition): GoType {
  const isQuantities = values.$ref?.endsWith(".Quantity") === true;
  return { kind: "map", of: () => ofDefinition(values), ...(isQuantities ? { name: "v1.ResourceList" } : {}) };
}

/** `v1.PodSpec` of `io.k8s.api.core.v1.PodSpec`. */
function goName(definition: string): string {
  return definition.split(".").slice(-2).join(".");
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

/** Types that read themselves. */
const specials: { readonly [name: string]: GoType } = {
  Quantity: { kind: "read", problem: quantityProblem },
  IntOrString: { kind: "read", problem: intOrStringProblem },
  Time: { kind: "read", problem: timeProblem },
  CustomResourceSubresourceStatus: { kind: "struct", name: "v1.CustomResourceSubresourceStatus", fields: [] },
  JSONSchemaPropsOrArray: {
    kind: "either",
    choose: (value) => {
      if (Array.isArray(value)) return { kind: "list", of: schemaType };
      // Anything else is accepted and ignored.
      return typeof value === "object" ? schemaType() : { kind: "raw" };
    },
  },
  JSONSchemaPropsOrBool: {
    kind: "either",
    choose: (value) => {
      if (typeof value === "boolean") return { kind: "bool" };
      return typeof value === "object" && !Array.isArray(value) ? schemaType() : "boolean or JSON schema expected";
    },
  },
  JSONSchemaPropsOrStringArray: {
    kind: "either",
    choose: (value) =>
      Array.isArray(value) ? { kind: "list", of: () => ({ kind: "string", name: "string" }) } : schemaType(),
  },
};

function schemaType(): GoType {
  return builtIn("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");
}

function quantityProblem(value: Json): string | undefined {
  if (value === null) return undefined;
  const text = typeof value === "number" ? String(value) : value;
  const wrong = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
  if (typeof text !== "string") return wrong;
  try {
    parseQuantity(text);
    return undefined;
  } catch {
    return wrong;
  }
}

function intOrStringProblem(value: Json): string | undefined {
  if (value === null) return undefined;
  if (typeof value === "string") return undefined;
  if (typeof value === "number" && Number.isInteger(value) && Math.abs(value) < 2 ** 31) return undefined;
  const names = {
    number: `number ${JSON.stringify(value)}`,
    boolean: "bool",
    object: Array.isArray(value) ? "array" : "object",
  };
  const what = names[typeof value as keyof typeof names];
  return `json: cannot unmarshal ${what} into Go value of type int32`;
}

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

function timeProblem(value: Json): string | undefined {
  if (value === null) return undefined;
  if (typeof value === "string" && rfc3339.test(value)) return undefined;
  if (typeof value === "string")
    return `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse ${JSON.stringify(value)} as "2006"`;
  return `json: cannot unmarshal ${typeof value === "object" ? "object" : typeof value} into Go value of type string`;
}
