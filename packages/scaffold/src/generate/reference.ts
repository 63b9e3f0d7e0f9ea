/** The API reference of a program's resources in Markdown, from schema descriptions. */
import type { JsonSchema, Resource, ValidationRule } from "@capstan/schema";
import { meterReference } from "./meters.ts";
import type { Program } from "./program.ts";

/** One page for all resources. */
export function apiReference({ name, resources, meters }: Program): string {
  const chapters = [`# API reference of ${name}\n`, ...resources.map(formatResource), meterReference(meters)];
  return chapters.filter((chapter) => chapter !== "").join("\n");
}

function formatResource(resource: Resource): string {
  const { kind, group, scope, shortNames, plural, describe, conditions } = resource;
  const names = [plural, ...shortNames].map((word) => `\`${word}\``).join(", ");
  const versions = Object.values(resource.versions).map(({ name, schema, deprecated }) => {
    const warning = deprecated === undefined ? "" : `\nDeprecated: ${deprecated}\n`;
    const parts = (["spec", "status"] as const).flatMap((part) => {
      const found = schema.properties?.[part];
      return found === undefined ? [] : [`\n#### ${part}\n\n${fieldTable(found)}${rules(found)}`];
    });
    return `\n### ${kind} ${group}/${name}\n${warning}${parts.join("")}`;
  });
  const told = Object.entries(conditions).map(([type, sentence]) => `| \`${type}\` | ${cell(sentence)} |\n`);
  const list = told.length === 0 ? "" : `\n### Conditions\n\n| type | is true when |\n|---|---|\n${told.join("")}`;
  const intro = describe === undefined ? "" : `\n${describe}\n`;
  return `## ${kind}\n${intro}\nGroup \`${group}\`, ${scope === "Cluster" ? "cluster-wide" : "in a namespace"}, known as ${names}.\n${versions.join("")}${list}`;
}

function fieldTable(schema: JsonSchema): string {
  const rows = fieldsOf(schema, "").map(
    ({ path, field, isRequired }) =>
      `| \`${path}\` | ${typeName(field)} | ${isRequired ? "yes" : ""} | ${field.default === undefined ? "" : `\`${cell(JSON.stringify(field.default))}\``} | ${cell(describe(field))} |\n`,
  );
  return `| field | type | required | default | meaning |\n|---|---|---|---|---|\n${rows.join("")}`;
}

interface Field {
  readonly path: string;
  readonly field: JsonSchema;
  readonly isRequired: boolean;
}

function fieldsOf(schema: JsonSchema, prefix: string): Field[] {
  const inner = schema.items ?? schema.additionalProperties;
  if (inner !== undefined) return fieldsOf(inner, `${prefix}${schema.items === undefined ? ".*" : "[]"}`);
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = prefix === "" ? name : `${prefix}.${name}`;
    return [{ path, field, isRequired: schema.required?.includes(name) === true }, ...fieldsOf(field, path)];
  });
}

function typeName({ type, format, items, additionalProperties, enum: values, ...schema }: JsonSchema): string {
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (schema["x-kubernetes-int-or-string"] === true) return "integer or string";
  if (items !== undefined) return `list of ${typeName(items)}`;
  if (additionalProperties !== undefined) return `map of ${typeName(additionalProperties)}`;
  return format === undefined ? (type ?? "anything") : `${type ?? "anything"} (${format})`;
}

const limits = [
  ["minimum", "at least"],
  ["maximum", "at most"],
  ["minLength", "at least this long:"],
  ["maxLength", "at most this long:"],
  ["minItems", "at least so many:"],
  ["maxItems", "at most so many:"],
  ["pattern", "matches"],
] as const;

function describe(field: JsonSchema): string {
  const said = limits.flatMap(([keyword, words]) =>
    field[keyword] === undefined ? [] : [`${words} \`${field[keyword]}\``],
  );
  const checks = (field["x-kubernetes-validations"] ?? []).map(sentence);
  return [field.description ?? "", ...said, ...checks].filter((part) => part !== "").join("; ");
}

function rules(schema: JsonSchema): string {
  const list = schema["x-kubernetes-validations"] ?? [];
  return list.length === 0 ? "" : `\n${list.map((rule) => `- ${sentence(rule)} (\`${rule.rule}\`)\n`).join("")}`;
}

function sentence({ rule, message }: ValidationRule): string {
  return message ?? `\`${rule}\``;
}

/** Text that cannot break out of its cell. */
function cell(text: string): string {
  return text.replaceAll("|", String.raw`\|`).replaceAll(/\s*\n\s*/g, " ");
}
