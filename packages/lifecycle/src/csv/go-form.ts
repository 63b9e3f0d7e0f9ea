/** Values of Kubernetes' types as Go writes them to JSON: fields in the order of the type, empty ones left out or not as declared. */
import { normalizeQuantity } from "@capstan/model";
import { deploymentFields } from "./generated/deployment-fields.ts";
import { webhookFields } from "./webhook-fields.ts";

interface GoField {
  readonly name: string;
  readonly when: "always" | "filled" | "set";
  readonly type: string;
}

const known = new Map<string, readonly GoField[] | undefined>();

function fieldsOf(type: string): readonly GoField[] | undefined {
  if (!known.has(type)) known.set(type, (deploymentFields[type] ?? webhookFields[type])?.split(" ").map(toField));
  return known.get(type);
}

function toField(text: string): GoField {
  const [label = "", type = ""] = text.split(":");
  if (label.endsWith("!")) return { name: label.slice(0, -1), when: "always", type };
  return label.endsWith("?") ? { name: label.slice(0, -1), when: "set", type } : { name: label, when: "filled", type };
}

/** The value in Go's form; undefined for what Go does not know. */
export function toGoForm(value: unknown, type: string): unknown {
  if (type.startsWith("*")) return value === undefined || value === null ? null : toGoForm(value, type.slice(1));
  if (type.startsWith("[]")) {
    return Array.isArray(value) ? value.map((each: unknown) => toGoForm(each, type.slice(2))) : null;
  }
  if (type.startsWith("{}")) return mapForm(value, type.slice(2));
  const fields = fieldsOf(type);
  if (fields !== undefined) return structForm(value, fields);
  return scalarForm(value, type);
}

function mapForm(value: unknown, type: string): unknown {
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, each]) => [key, toGoForm(each, type)]));
}

function structForm(value: unknown, fields: readonly GoField[]): object {
  const given = (typeof value === "object" && value !== null ? value : {}) as { readonly [field: string]: unknown };
  const entries = fields.flatMap(({ name, when, type }) => {
    const form = toGoForm(given[name], type);
    const isLeftOut = when === "set" ? form === null : when === "filled" && isEmpty(form, type);
    return isLeftOut ? [] : [[name, form] as const];
  });
  return Object.fromEntries(entries);
}

/** Go's `omitempty` leaves out zeros, null and empty lists and maps, but no struct. */
function isEmpty(form: unknown, type: string): boolean {
  if (form === null) return true;
  if (type.startsWith("[]")) return Array.isArray(form) && form.length === 0;
  if (type.startsWith("{}")) return Object.keys(form as object).length === 0;
  return !type.startsWith("*") && (form === "" || form === 0 || form === false);
}

function scalarForm(value: unknown, type: string): unknown {
  switch (type) {
    case "string":
      return value ?? "";
    case "bool":
      return value ?? false;
    case "number":
      return value ?? 0;
    case "IntOrString":
      return value ?? 0;
    case "Quantity":
      return typeof value === "string" || typeof value === "number" ? normalizeQuantity(String(value)) : "0";
    default:
      // Times and bytes.
      return value ?? null;
  }
}
