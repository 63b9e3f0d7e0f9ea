/** The TypeScript type for parts of a schema that the schema builders cannot express. */
import type { JsonSchema } from "@capstan/schema";
import { propertyName } from "./text.ts";

/** A type as source. */
export function typeText(schema: JsonSchema): string {
  const text = bareType(schema);
  return schema.nullable === true ? `${text} | null` : text;
}

function bareType(schema: JsonSchema): string {
  if (schema.enum !== undefined && schema.enum.length > 0)
    return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema["x-kubernetes-int-or-string"] === true) return "number | string";
  switch (schema.type) {
    case "string":
    case "boolean":
    case "number":
      return schema.type;
    case "integer":
      return "number";
    case "array":
      return `readonly (${schema.items === undefined ? "unknown" : typeText(schema.items)})[]`;
    case "object":
      return objectType(schema);
    default:
      return "unknown";
  }
}

function objectType({ properties, additionalProperties, required = [], ...rest }: JsonSchema): string {
  if (properties === undefined) {
    return `{ readonly [name: string]: ${additionalProperties === undefined ? "unknown" : typeText(additionalProperties)} }`;
  }
  const fields = Object.entries(properties).map(([name, field]) => {
    const mark = required.includes(name) || field.default !== undefined ? "" : "?";
    return `readonly ${propertyName(name)}${mark}: ${typeText(field)}`;
  });
  const open = rest["x-kubernetes-preserve-unknown-fields"] === true ? ["readonly [name: string]: unknown"] : [];
  return `{ ${[...fields, ...open].join("; ")} }`;
}
