/** The CustomResourceDefinition of a resource. */
import type { ScalePaths } from "../structural/scale.ts";
import type { JsonSchema } from "./json-schema.ts";
import type { ColumnFacts, VersionFacts } from "./version-facts.ts";

/** A CRD as it is sent to a cluster. */
export interface CustomResourceDefinition {
  readonly apiVersion: "apiextensions.k8s.io/v1";
  readonly kind: "CustomResourceDefinition";
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly kind: string;
      readonly listKind: string;
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
      readonly categories?: readonly string[];
    };
    readonly scope: "Namespaced" | "Cluster";
    readonly versions: readonly CrdVersion[];
    readonly conversion?: { readonly strategy: "None" | "Webhook"; readonly webhook?: unknown };
  };
}

/** One version in a CRD. */
export interface CrdVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
  readonly subresources?: { readonly status?: object; readonly scale?: object };
  readonly additionalPrinterColumns?: readonly object[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

interface Described {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly scope: "Namespaced" | "Cluster";
  readonly describe: string | undefined;
  readonly versions: { readonly [version: string]: VersionFacts };
}

export function toCustomResourceDefinition(resource: Described): CustomResourceDefinition {
  const { group, kind, plural, singular, shortNames, categories, scope } = resource;
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular,
        ...(shortNames.length > 0 ? { shortNames } : {}),
        ...(categories.length > 0 ? { categories } : {}),
      },
      scope,
      versions: Object.values(resource.versions).map((version) => toVersion(version, resource.describe)),
    },
  };
}

function toVersion(version: VersionFacts, describe: string | undefined): CrdVersion {
  const { schema, scale } = version;
  const status = schema.properties?.["status"] !== undefined;
  return {
    name: version.name,
    served: version.served,
    storage: version.storage,
    ...(version.deprecated === undefined ? {} : { deprecated: true, deprecationWarning: version.deprecated }),
    schema: { openAPIV3Schema: describe === undefined ? schema : { description: describe, ...schema } },
    ...(status || scale
      ? { subresources: { ...(status ? { status: {} } : {}), ...(scale ? { scale: toScale(scale) } : {}) } }
      : {}),
    additionalPrinterColumns: version.columns.map(toPrinterColumn),
    ...(version.selectable.length > 0
      ? { selectableFields: version.selectable.map((path) => ({ jsonPath: `.${path}` })) }
      : {}),
  };
}

/** The paths of the scale subresource, as a CRD writes them. */
export function toScale(scale: NonNullable<VersionFacts["scale"]>): ScalePaths {
  return {
    specReplicasPath: `.${scale.spec}`,
    statusReplicasPath: `.${scale.status}`,
    ...(scale.selector === undefined ? {} : { labelSelectorPath: `.${scale.selector}` }),
  };
}

function toPrinterColumn({ name, type, jsonPath, priority, description }: ColumnFacts): object {
  return {
    name,
    type,
    jsonPath,
    ...(priority > 0 ? { priority } : {}),
    ...(description === undefined ? {} : { description }),
  };
}
