/** What a CRD contains and a definition cannot express: reported to the user, never dropped silently. */
import type { JsonSchema } from "@capstan/schema";
import type { CrdVersionInput } from "./crd-input.ts";

/** Keywords that the top level of a resource supports. */
export const topKeywords: ReadonlySet<string> = new Set([
  "type",
  "description",
  "properties",
  "required",
  "default",
  "x-kubernetes-preserve-unknown-fields",
  "x-kubernetes-map-type",
  "x-kubernetes-validations",
]);

/** The parts of a version that cannot be expressed. */
export function differencesOf({ name, subresources }: CrdVersionInput, root: JsonSchema): string[] {
  const { metadata, spec = {}, status } = root.properties ?? {};
  const hasStatus = status !== undefined;
  const isSubresource = subresources?.status !== undefined;
  const found: readonly (readonly [boolean, string])[] = [
    [Object.keys(metadata?.properties ?? {}).length > 0, `what ${name} demands of metadata`],
    [!saysNothing(spec.default), `what a spec that is left out in ${name} is filled in with`],
    [!saysNothing(status?.default), `what a status that is left out in ${name} is filled in with`],
    [root.required?.includes("status") === true, `status is required in ${name}`],
    [hasStatus && !isSubresource, `status of ${name} is not a subresource`],
  ];
  return [
    ...rootDifferences(name, root),
    ...strangeKeywords(`spec in ${name}`, spec),
    ...strangeKeywords(`status in ${name}`, status ?? {}),
    ...found.flatMap(([holds, sentence]) => (holds ? [sentence] : [])),
  ];
}

/** Whether a default of a whole part adds nothing to those of its fields. */
function saysNothing(value: unknown): boolean {
  return value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0);
}

function rootDifferences(name: string, root: JsonSchema): string[] {
  const { apiVersion: _a, kind: _k, metadata: _m, spec: _s, status: _t, ...others } = root.properties ?? {};
  const { type: _type, properties: _p, description: _d, required: _r, ...keywords } = root;
  return [
    ...Object.keys(others).map((field) => `the field ${field} of ${name}`),
    ...Object.keys(keywords).map((keyword) => `${keyword} of the whole object in ${name}`),
  ];
}

function strangeKeywords(part: string, schema: JsonSchema): string[] {
  return Object.entries(schema)
    .filter(([keyword, value]) => !topKeywords.has(keyword) || (keyword === "type" && value !== "object"))
    .map(([keyword]) => `${keyword} of ${part}`);
}
