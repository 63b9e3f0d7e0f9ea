/** Whether the statuses of two versions are compatible: conversions change specs only, so a status is copied unchanged. */
import type { JsonSchema } from "./json-schema.ts";

/** The field of a status that would be invalid in another version, and why; fields of only one version are dropped by the server. */
export function misfitOf(from: JsonSchema, to: JsonSchema, path: string): Misfit | undefined {
  const kinds = [kindOf(from), kindOf(to)];
  if (kinds.every((kind) => kind !== undefined) && kinds[0] !== kinds[1])
    return { path, why: `is ${kinds[0]} in one and ${kinds[1]} in the other` };
  const isOpen = from["x-kubernetes-preserve-unknown-fields"] === true;
  const lacking = isOpen ? undefined : to.required?.find((name) => from.properties?.[name] === undefined);
  if (lacking !== undefined)
    return { path: `${path}.${lacking}`, why: "is required in one and not there in the other" };
  return misfitWithin(from, to, path);
}

/** An incompatible field. */
export interface Misfit {
  readonly path: string;
  readonly why: string;
}

function misfitWithin(from: JsonSchema, to: JsonSchema, path: string): Misfit | undefined {
  for (const [name, field] of Object.entries(from.properties ?? {})) {
    const other = to.properties?.[name];
    const misfit = other && misfitOf(field, other, `${path}.${name}`);
    if (misfit !== undefined) return misfit;
  }
  for (const part of ["items", "additionalProperties"] as const) {
    const [one, other] = [from[part], to[part]];
    const misfit = one && other && misfitOf(one, other, `${path}[*]`);
    if (misfit !== undefined) return misfit;
  }
  return undefined;
}

/** The type of a value; undefined where it may be anything. */
function kindOf(schema: JsonSchema): string | undefined {
  return schema["x-kubernetes-int-or-string"] === true ? "int-or-string" : schema.type;
}
