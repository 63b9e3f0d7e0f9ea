/** Converts CRDs from v1beta1 to v1: settings for all versions are copied into each. */
import type { JsonSchema } from "@capstan/schema";
import type { CrdInput, CrdVersionInput } from "./crd-input.ts";

/** The version that Kubernetes served until 1.22. */
export const oldApiVersion = "apiextensions.k8s.io/v1beta1";

/** What only v1beta1 has, as far as it is read. */
interface OldSpec extends Omit<CrdInput["spec"], "versions" | "scope"> {
  readonly scope?: CrdInput["spec"]["scope"];
  readonly version?: string;
  readonly versions?: readonly OldVersion[];
  readonly validation?: { readonly openAPIV3Schema?: JsonSchema };
  readonly subresources?: NonNullable<CrdVersionInput["subresources"]>;
  readonly additionalPrinterColumns?: readonly OldColumn[];
  /** Left out, it means yes. */
  readonly preserveUnknownFields?: boolean;
}

type OldVersion = Omit<CrdVersionInput, "additionalPrinterColumns"> & {
  readonly additionalPrinterColumns?: readonly OldColumn[];
};

type OldColumn = Omit<NonNullable<CrdVersionInput["additionalPrinterColumns"]>[number], "jsonPath"> & {
  /** v1 writes it as jsonPath. */
  readonly JSONPath: string;
};

/** A v1 CRD, and what was lost in the conversion. */
export interface Renewed {
  readonly crd: Partial<CrdInput>;
  readonly differences: readonly string[];
}

/** Converts a CRD to v1; other checks find its errors. */
export function renewCrd(crd: { readonly kind?: string; readonly spec?: unknown }): Renewed {
  const old = (crd.spec ?? {}) as OldSpec;
  const { group, names, scope = "Namespaced" } = old;
  const isLoose = old.preserveUnknownFields !== false;
  const versions = versionsOf(old).map((version) => renewVersion(version, old));
  const spec = { group, names, scope, versions: isLoose ? versions.map(loosened) : versions };
  return {
    crd: { ...crd, apiVersion: "apiextensions.k8s.io/v1", spec },
    differences: isLoose
      ? [`that fields beside ${versions.some(hasStatus) ? "spec and status" : "spec"} are kept, too`]
      : [],
  };
}

/** v1beta1 preserved unknown fields everywhere; v1 needs the keyword in spec and status at every level. */
function loosened(version: CrdVersionInput): CrdVersionInput {
  const { properties = {}, ...root } = version.schema?.openAPIV3Schema ?? {};
  const anything: JsonSchema = { type: "object" };
  const { spec = anything, status = anything } = properties;
  const parts = { spec: loose(spec), ...(hasStatus(version) ? { status: loose(status) } : {}) };
  const whole = { ...root, properties: { ...properties, ...parts } };
  return { ...version, schema: { openAPIV3Schema: whole } };
}

function hasStatus({ schema, subresources }: CrdVersionInput): boolean {
  return subresources?.status !== undefined || schema?.openAPIV3Schema?.properties?.["status"] !== undefined;
}

function loose(schema: JsonSchema): JsonSchema {
  const { properties, items, additionalProperties } = schema;
  const isObject = schema.type === "object" && typeof additionalProperties !== "object";
  return {
    ...schema,
    ...(properties === undefined
      ? {}
      : { properties: Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, loose(field)])) }),
    ...(items === undefined ? {} : { items: loose(items) }),
    ...(typeof additionalProperties === "object" ? { additionalProperties: loose(additionalProperties) } : {}),
    ...(isObject ? { "x-kubernetes-preserve-unknown-fields": true as const } : {}),
    ...(schema.type === undefined ? typeless(schema) : {}),
  };
}

/** v1 requires a type everywhere: int-or-string has a keyword, anything else preserves unknown fields. */
function typeless({ anyOf = [] }: JsonSchema): JsonSchema {
  const types = anyOf.map(({ type }) => type);
  const isEither = types.length === 2 && types.includes("integer") && types.includes("string");
  return isEither
    ? { "x-kubernetes-int-or-string": true, anyOf: [{ type: "integer" }, { type: "string" }] }
    : { "x-kubernetes-preserve-unknown-fields": true };
}

function versionsOf({ version, versions = [] }: OldSpec): readonly OldVersion[] {
  if (versions.length > 0 || version === undefined) return versions;
  return [{ name: version, served: true, storage: true }];
}

function renewVersion(version: OldVersion, whole: OldSpec): CrdVersionInput {
  const { additionalPrinterColumns: own, ...rest } = version;
  const columns = own ?? whole.additionalPrinterColumns;
  const schema = version.schema ?? whole.validation;
  const subresources = version.subresources ?? whole.subresources;
  return {
    ...rest,
    ...(schema === undefined ? {} : { schema }),
    ...(subresources === undefined ? {} : { subresources }),
    ...(columns === undefined
      ? {}
      : { additionalPrinterColumns: columns.map(({ JSONPath, ...column }) => ({ ...column, jsonPath: JSONPath })) }),
  };
}
