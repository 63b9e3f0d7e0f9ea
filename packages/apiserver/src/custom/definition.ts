/** The parts of a CustomResourceDefinition that serving needs. */
import type { Condition, Json, KubeObject } from "@capstan/model";
import type { OpenApiSchema } from "@capstan/patch";
import type { ConversionWebhook } from "./conversion-webhook.ts";

export interface DefinitionNames {
  readonly plural: string;
  readonly singular?: string;
  readonly shortNames?: readonly string[];
  readonly kind: string;
  readonly listKind?: string;
  readonly categories?: readonly string[];
}

export interface DefinitionVersion {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly deprecated?: boolean;
  readonly deprecationWarning?: string;
  readonly schema?: { readonly openAPIV3Schema?: OpenApiSchema & Json };
  readonly subresources?: { readonly status?: Json; readonly scale?: ScalePaths };
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly selectableFields?: readonly { readonly jsonPath: string }[];
}

export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** The paths of the scale subresource. */
export interface ScalePaths {
  readonly specReplicasPath: string;
  readonly statusReplicasPath: string;
  readonly labelSelectorPath?: string;
}

export interface Definition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: DefinitionNames;
    readonly scope: "Namespaced" | "Cluster";
    readonly versions: readonly DefinitionVersion[];
    readonly conversion?: { readonly strategy: "None" | "Webhook"; readonly webhook?: ConversionWebhook };
    readonly preserveUnknownFields?: boolean;
  };
  readonly status?: {
    readonly conditions?: readonly Condition[] | null;
    readonly acceptedNames?: DefinitionNames;
    readonly storedVersions?: readonly string[];
  };
}

/** The resource name of definitions in the store. */
export const definitionsName = "customresourcedefinitions.apiextensions.k8s.io";

/** The finalizer that keeps a definition until its objects are deleted. */
export const cleanupFinalizer = "customresourcecleanup.apiextensions.k8s.io";

/** Whether a condition of a definition holds. */
export function hasCondition({ status }: Definition, type: string): boolean {
  return status?.conditions?.some((one) => one.type === type && one.status === "True") === true;
}
