/** Validates the definition of a resource, so that errors name a field of the definition instead of a path in the CRD. */
import type { FieldError, Json } from "@capstan/model";
import { validateCustomResourceDefinition } from "../structural/crd.ts";
import { patternProblem } from "../structural/pattern.ts";
import type { CustomResourceDefinition } from "./crd.ts";
import { DefinitionError } from "./errors.ts";
import type { JsonSchema } from "./json-schema.ts";
import { misfitOf } from "./status-versions.ts";
import type { VersionFacts } from "./version-facts.ts";

interface Defined {
  readonly toCrd: () => CustomResourceDefinition;
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly versions: { readonly [version: string]: VersionFacts };
  readonly conversions: { readonly [direction: string]: unknown };
  readonly conditions: { readonly [name: string]: string };
}

export function checkDefinition(resource: Defined): void {
  checkNames(resource);
  Object.keys(resource.conditions).forEach(checkConditionName);
  for (const { name, schema, storage } of Object.values(resource.versions)) {
    checkVersionName(name);
    walk(schema, "", checkNode);
    if (!storage) checkConversions(resource, name);
  }
  checkAsServer(resource);
}

/** Runs the API server's checks of a CRD: rules compile and are cheap enough, defaults satisfy them. */
function checkAsServer({ toCrd }: Defined): void {
  const crd = toCrd();
  // A rule that does not compile also fails for defaults, and the server reports only those: the rules come first.
  const problem = problemsOf(withoutDefaults(crd)).find(isAboutRule) ?? problemsOf(crd)[0];
  if (problem === undefined) return;
  const code = isAboutRule(problem)
    ? "BadRule"
    : /\.default(\.|$)/.test(problem.field)
      ? "BadDefault"
      : "NotExpressible";
  throw new DefinitionError(code, toUserPath(problem.field), problem.body);
}

function problemsOf(crd: CustomResourceDefinition): FieldError[] {
  // A CRD is JSON, which its type cannot express because optional fields may be undefined.
  return validateCustomResourceDefinition(crd as unknown as Json);
}

function withoutDefaults(crd: CustomResourceDefinition): CustomResourceDefinition {
  const versions = crd.spec.versions.map((version) => ({
    ...version,
    schema: { openAPIV3Schema: bare(version.schema.openAPIV3Schema) },
  }));
  return { ...crd, spec: { ...crd.spec, versions } };
}

function bare(given: JsonSchema): JsonSchema {
  const { default: _default, ...schema } = given;
  return {
    ...schema,
    ...(schema.properties
      ? {
          properties: Object.fromEntries(Object.entries(schema.properties).map(([name, child]) => [name, bare(child)])),
        }
      : {}),
    ...(schema.items ? { items: bare(schema.items) } : {}),
    ...(schema.additionalProperties ? { additionalProperties: bare(schema.additionalProperties) } : {}),
  };
}

function isAboutRule({ field }: FieldError): boolean {
  return field.includes("x-kubernetes-validations");
}

/** `spec.versions[0].schema.openAPIV3Schema.properties[spec].properties[size].default` is `spec.size` to the author. */
function toUserPath(path: string): string {
  const inside = /openAPIV3Schema\.?(.*)$/.exec(path)?.[1];
  if (inside === undefined) return path;
  return inside
    .replaceAll(/properties\[([^\]]+)\]/g, "$1")
    .replaceAll(/\.(items|additionalProperties)(?=\.|$)/g, "[*]")
    .replaceAll(/\.?x-kubernetes-validations\[(\d+)\](\.rule)?/g, (_, index: string) => ` rule ${Number(index) + 1}`)
    .replace(/\.default(?=\.|$)/, "");
}

function checkNames({ group, kind, plural }: Defined): void {
  if (!/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)+$/.test(group)) {
    throw new DefinitionError(
      "BadName",
      "group",
      `"${group}" is not a domain name with at least one dot; write something like "cache.example.com"`,
    );
  }
  if (!/^[A-Z][A-Za-z0-9]{0,62}$/.test(kind))
    throw new DefinitionError("BadName", "kind", `"${kind}" is not a name in PascalCase`);
  if (!/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(plural))
    throw new DefinitionError("BadName", "plural", `"${plural}" is not a name in lower case`);
}

/** As in Kubernetes: a word with an optional domain before it. */
const CONDITION_NAME =
  /^([a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*\/)?([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/u;

function checkConditionName(name: string): void {
  if (name.length <= 316 && CONDITION_NAME.test(name)) return;
  throw new DefinitionError("BadName", "conditions", `"${name}" is not a condition; write a word such as "Available"`);
}

function checkVersionName(name: string): void {
  if (/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return;
  throw new DefinitionError("BadName", "version", `"${name}" is not a version; write v1, v1beta1 or v1alpha1`);
}

function checkConversions({ versions, conversions }: Defined, name: string): void {
  const storage = Object.values(versions).find((version) => version.storage)?.name ?? "";
  for (const direction of [`${name}->${storage}`, `${storage}->${name}`]) {
    if (typeof conversions[direction] !== "function") {
      throw new DefinitionError(
        "BadConversion",
        `convert["${direction}"]`,
        "is missing; every version converts to the stored one and back",
      );
    }
  }
  checkStatuses(versions, name, storage);
}

function checkStatuses(versions: Defined["versions"], name: string, storage: string): void {
  const [status, stored] = [name, storage].map((each) => versions[each]?.schema.properties?.status);
  if (status === undefined || stored === undefined) return;
  const misfit = misfitOf(status, stored, "status") ?? misfitOf(stored, status, "status");
  if (misfit === undefined) return;
  throw new DefinitionError(
    "BadConversion",
    `versions.${name}.${misfit.path}`,
    `${misfit.why}, ${storage}; only specs are converted, so give a status field the same type in every version, or another name`,
  );
}

function walk(schema: JsonSchema, path: string, visit: (schema: JsonSchema, path: string) => void): void {
  visit(schema, path === "" ? "the object" : path.slice(1));
  for (const [name, child] of Object.entries(schema.properties ?? {})) walk(child, `${path}.${name}`, visit);
  if (schema.items) walk(schema.items, `${path}[*]`, visit);
  if (schema.additionalProperties) walk(schema.additionalProperties, `${path}[*]`, visit);
}

function checkNode(schema: JsonSchema, path: string): void {
  checkNumbers(path, schema);
  checkBounds(path, schema.minimum, schema.maximum);
  checkBounds(path, schema.minLength, schema.maxLength);
  checkBounds(path, schema.minItems, schema.maxItems);
  checkBounds(path, schema.minProperties, schema.maxProperties);
  checkPattern(path, schema.pattern);
  checkListKeys(path, schema);
  checkSet(path, schema);
}

/** NaN and the infinities are not JSON: they would be sent as null, and no limit would be checked. */
function checkNumbers(path: string, schema: JsonSchema): void {
  for (const name of ["minimum", "maximum", "multipleOf"] as const) {
    const value = schema[name];
    if (value !== undefined && !Number.isFinite(value))
      throw new DefinitionError("BadBounds", path, `${value} is not a number that a ${name} can be`);
  }
  if (schema.multipleOf !== undefined && schema.multipleOf <= 0)
    throw new DefinitionError("BadBounds", path, `no value is a multiple of ${schema.multipleOf}; it must be above 0`);
  for (const name of COUNTS) {
    const value = schema[name];
    if (value !== undefined && !(Number.isSafeInteger(value) && value >= 0))
      throw new DefinitionError("BadBounds", path, `${name} is ${value}; write a whole number that is at least 0`);
  }
}

const COUNTS = ["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"] as const;

function checkBounds(path: string, low: number | undefined, high: number | undefined): void {
  if (low !== undefined && high !== undefined && low > high)
    throw new DefinitionError("BadBounds", path, `no value is at least ${low} and at most ${high}`);
}

function checkPattern(path: string, pattern: string | undefined): void {
  if (pattern === undefined) return;
  const problem = patternProblem(pattern);
  if (problem !== undefined) {
    throw new DefinitionError(
      "BadPattern",
      path,
      `/${pattern}/ is not an RE2 pattern (${problem}); look-around, back-references and flags but i, m, s and u do not exist there`,
    );
  }
}

function checkListKeys(path: string, schema: JsonSchema): void {
  for (const key of schema["x-kubernetes-list-map-keys"] ?? []) {
    const field = schema.items?.properties?.[key];
    const known = schema.items?.required?.includes(key) === true || field?.default !== undefined;
    if (field === undefined || !known)
      throw new DefinitionError(
        "BadListKey",
        path,
        `items are known by "${key}", so it must be a required field of theirs or have a default`,
      );
    if (field.type === "object" || field.type === "array")
      throw new DefinitionError("BadListKey", path, `"${key}" is not a single value, so items cannot be known by it`);
  }
}

function checkSet(path: string, schema: JsonSchema): void {
  if (schema["x-kubernetes-list-type"] !== "set") return;
  const items = schema.items ?? {};
  const whole = items["x-kubernetes-map-type"] === "atomic" || items["x-kubernetes-list-type"] === "atomic";
  if ((items.type === "object" || items.type === "array") && !whole) {
    throw new DefinitionError(
      "NotExpressible",
      path,
      "items of a set are single values or atomic; use map() with a key, or make the items atomic",
    );
  }
}
